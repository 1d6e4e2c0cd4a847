package llamaextractactions

import (
	"bytes"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/rest"
)

// document is what data is extracted from.
type document struct {
	name, mediaType string
	data            []byte
}

// read fetches the document.
func (c *cloud) read(ctx context.Context, in extractInput) (document, error) {
	if in.Text != nil {
		return bounded(document{name: "document.txt", mediaType: "text/plain; charset=utf-8", data: []byte(*in.Text)}, in.MaxBytes)
	}
	r, info, err := c.env.Storage.Read(ctx, in.File)
	if err != nil {
		return document{}, err
	}
	defer r.Close() //nolint:errcheck // only read from
	data, err := io.ReadAll(io.LimitReader(r, in.MaxBytes+1))
	if err != nil {
		return document{}, err
	}
	d := document{name: fileName(in.File), mediaType: info.ContentType, data: data}
	if byName := mime.TypeByExtension(path.Ext(d.name)); byName != "" {
		d.mediaType = byName
	}
	if d.mediaType == "" {
		d.mediaType = "application/octet-stream"
	}
	return bounded(d, in.MaxBytes)
}

func bounded(d document, most int64) (document, error) {
	if int64(len(d.data)) > most {
		return document{}, actions.Errorf(actions.CodeTooLarge, "the document is larger than max_bytes (%d)", most)
	}
	return d, nil
}

// fileName returns the last part of a path or URI, by whose ending LlamaCloud
// knows what a document is.
func fileName(uri string) string {
	if strings.Contains(uri, "://") {
		uri, _, _ = strings.Cut(uri, "?")
	}
	base := path.Base(strings.ReplaceAll(uri, `\`, "/"))
	if base == "." || base == "/" {
		return "document"
	}
	return base
}

// upload stores the document at LlamaCloud and returns its ID.
func (c *cloud) upload(ctx context.Context, d document) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {multipart.FileContentDisposition("upload_file", d.name)},
		"Content-Type":        {d.mediaType},
	})
	if err == nil {
		_, err = part.Write(d.data)
	}
	if err == nil {
		err = form.Close()
	}
	if err != nil {
		return "", err
	}
	answer, err := c.service.Do(ctx, rest.Request{
		Method: http.MethodPost, Path: "/api/v1/files", Query: c.project, Body: body.Bytes(), Type: form.FormDataContentType(),
	})
	if err != nil {
		return "", err
	}
	return need(answer.JSON, "a file", "id")
}
