package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/transfer"
	"github.com/tea-agents/tea/value"
)

// standard is the file name of standard input and output.
const standard = "-"

func (a *app) ltmExport() *cobra.Command {
	return a.exportCommand(driver.User, `Write everything that is remembered to a file or to stdout, a JSON object a line,
with checksums. It is not encrypted, whatever the store is; leases, and what
layers note, are not in it. An unfinished file is never left behind.`,
		`  tea ltm export memory.ndjson
  tea ltm export | gzip > memory.ndjson.gz`)
}

func (a *app) ltmImport() *cobra.Command {
	return a.importCommand(driver.User, `Remember what tea ltm export wrote, from a file or, with -, from stdin. It can be
repeated: what is there already stays as it is. A file is looked through before
anything is stored; from stdin all is stored that comes before a fault.`,
		`  tea ltm import memory.ndjson --dry-run
  tea ltm import memory.ndjson --on-conflict skip
  gunzip < memory.ndjson.gz | tea ltm import -`)
}

// exportCommand exports a space.
func (a *app) exportCommand(space driver.Space, long, example string) *cobra.Command {
	f := moveFlags{onConflict: string(transfer.Fail)}
	return f.addTo(&cobra.Command{
		Use:     "export [FILE|-]",
		Short:   "Write all entries to a file or to stdout",
		Long:    long,
		Example: example,
		Args:    takes(1),
		RunE: func(c *cobra.Command, args []string) error {
			file := append(args, standard)[0]
			if file == standard && f.json {
				return usageError{errors.New("--json is for the summary, which there is with a FILE only")}
			}
			return a.withSpace(c.Context(), space, func(m *ltm.Memory) error { return a.export(c.Context(), m, file, f) })
		},
	})
}

func (a *app) export(ctx context.Context, m *ltm.Memory, file string, f moveFlags) error {
	bar := a.meter("exporting", 0, f.verbose)
	o, err := a.moveOptions(f, bar)
	if err != nil {
		return err
	}
	measure(ctx, bar, m, f)
	var res transfer.Result
	err = a.writeTo(file, func(w io.Writer) (err error) {
		res, err = transfer.Export(ctx, m, w, o)
		return err
	})
	bar.end()
	if err != nil {
		return err
	}
	switch {
	case f.json:
		err = a.println(value.Object(value.M("file", value.String(file)), value.M("entries", value.Int(res.Entries)),
			value.M("damaged", value.Int(res.Damaged))).Indent())
	case file == standard:
		a.streams.say("exported %s", entries(res.Entries))
	default:
		err = a.println("exported " + entries(res.Entries) + " to " + file)
	}
	return errors.Join(err, moved(res, f, nil))
}

// writeTo writes to stdout, or all of a file or nothing of it. The file is for
// its owner's eyes.
func (a *app) writeTo(file string, write func(io.Writer) error) error {
	if file == standard {
		return buffered(a.streams.out, write)
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() { // a pipe, /dev/null
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(buffered(f, write), f.Close())
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return notTemporary(file, err)
	}
	err = buffered(temp, write)
	if err == nil {
		err = temp.Sync()
	}
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return errors.Join(notTemporary(file, err), os.Remove(temp.Name()))
	}
	return nil
}

// notTemporary names the file that was meant in an error about another one.
func notTemporary(file string, err error) error {
	var of *fs.PathError
	if !errors.As(err, &of) {
		return err
	}
	return fmt.Errorf("%s %s: %w", of.Op, file, of.Err)
}

func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	err := write(b)
	if unwritten := b.Flush(); err == nil {
		err = unwritten
	}
	return err
}

// importCommand imports into a space.
func (a *app) importCommand(space driver.Space, long, example string) *cobra.Command {
	var f moveFlags
	return f.addTarget(&cobra.Command{
		Use:     "import FILE|-",
		Short:   "Store the entries that an export holds",
		Long:    long,
		Example: example,
		Args:    exactly("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			return a.withSpace(c.Context(), space, func(m *ltm.Memory) error { return a.importFrom(c.Context(), m, args[0], f) })
		},
	})
}

func (a *app) importFrom(ctx context.Context, m *ltm.Memory, file string, f moveFlags) error {
	var total int64
	var in io.Reader
	if file == standard {
		typed := a.streams.input(ctx)
		defer typed.Close() //nolint:errcheck // only read
		in = typed
	} else {
		opened, err := os.Open(file)
		if err != nil {
			return err
		}
		defer func() { _ = opened.Close() }() // only read
		if info, err := opened.Stat(); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a folder", file)
		}
		if total, err = a.lookThrough(ctx, m, opened, f); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		in = opened
	}
	bar := a.meter("importing", total, f.verbose)
	o, err := a.moveOptions(f, bar)
	if err != nil {
		return err
	}
	res, err := transfer.Import(ctx, m, in, o)
	bar.end()
	if file == standard && err != nil {
		err = fmt.Errorf("stdin: %w", err)
	}
	return errors.Join(a.sayMoved("", m.Space(), res, f), moved(res, f, err))
}

// lookThrough reads a whole file before anything of it is stored, and returns
// how many entries it holds. Where conflicts are failures it finds them too.
func (a *app) lookThrough(ctx context.Context, m *ltm.Memory, file *os.File, f moveFlags) (int64, error) {
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, err
	}
	_, n, err := transfer.Check(file)
	if err != nil {
		return n, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil || f.dryRun || f.onConflict != string(transfer.Fail) {
		return n, err
	}
	f.dryRun = true
	o, err := a.moveOptions(f, nil)
	if err != nil {
		return n, err
	}
	res, err := transfer.Import(ctx, m, file, o)
	if err = moved(res, f, err); err != nil {
		return n, err
	}
	_, err = file.Seek(0, io.SeekStart)
	return n, err
}
