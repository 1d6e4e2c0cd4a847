package llamaextractactions

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/rest"
	"github.com/tea-agents/tea/value"
)

// job is an extraction under way.
type job struct {
	id, status string
	problem    string // what the service says about a failure
	agent      string // name of the agent, where the service tells
}

// The statuses that end a job; every other one means that it is under way.
const (
	statusSuccess   = "SUCCESS"
	statusPartial   = "PARTIAL_SUCCESS"
	statusError     = "ERROR"
	statusCancelled = "CANCELLED"
)

const jobs = "/api/v1/extraction/jobs"

// start creates a job: of an agent, or of a schema alone.
func (c *cloud) start(ctx context.Context, in extractInput, by agent, file string) (job, error) {
	path, body := jobs, value.Object(value.M("file_id", value.String(file)))
	schemaKey, configKey := "data_schema_override", "config_override"
	if by.id == "" {
		path, schemaKey, configKey = "/api/v1/extraction/run", "data_schema", "config"
		body = body.With(configKey, value.Object())
	} else {
		body = body.With("extraction_agent_id", value.String(by.id))
	}
	if in.Schema != nil {
		body = body.With(schemaKey, *in.Schema)
	}
	if in.Mode != "" {
		body = body.With(configKey, value.Object(value.M("extraction_mode", value.String(in.Mode))))
	}
	req, err := rest.JSON(http.MethodPost, path, body)
	if err != nil {
		return job{}, err
	}
	req.Query = c.project
	answer, err := c.service.Do(ctx, req)
	if err != nil {
		return job{}, err
	}
	return readJob(answer.JSON)
}

func readJob(v value.Value) (job, error) {
	id, err := need(v, "an extraction job", "id")
	if err != nil {
		return job{}, err
	}
	status, err := need(v, "an extraction job", "status")
	return job{id: id, status: status, problem: v.At("error").Text(), agent: v.At("extraction_agent", "name").Text()}, err
}

// wait asks after the job until it has ended or the time since start is over.
// A service that does not answer for a while does not undo the work.
func (c *cloud) wait(ctx context.Context, j job, start time.Time, in extractInput) (job, error) {
	var silent error // why the last question got no answer
	for {
		if ended, err := c.ended(j); ended {
			return j, err
		}
		pause := max(in.PollInterval, actions.RetryAfter(silent))
		if c.env.Clock.Now().Add(pause).Sub(start) > in.Timeout {
			if silent != nil {
				return job{}, about(j, silent)
			}
			return job{}, actions.Errorf(actions.CodeTimeout, "%s: job %s is still %s after %s", name, j.id, j.status, in.Timeout)
		}
		if err := c.env.Clock.Sleep(ctx, pause); err != nil {
			return job{}, about(j, err)
		}
		var next job
		next, silent = c.poll(ctx, j.id)
		switch {
		case silent == nil:
			j = next
		case actions.CodeOf(silent) != actions.CodeUnavailable:
			return job{}, about(j, silent)
		}
	}
}

// ended tells whether a job has ended, and how if not well.
func (c *cloud) ended(j job) (bool, error) {
	switch j.status {
	case statusSuccess, statusPartial:
		return true, nil
	case statusError, statusCancelled:
		problem := j.problem
		if problem == "" {
			problem = "the service does not say why"
		}
		return true, actions.Errorf(actions.CodeFailed, "%s: job %s ended as %s: %s", name, j.id, j.status,
			rest.Hide(problem, c.service.Hidden))
	}
	return false, nil
}

func (c *cloud) poll(ctx context.Context, id string) (job, error) {
	answer, err := c.service.Do(ctx, rest.Request{Method: http.MethodGet, Path: jobs + "/" + url.PathEscape(id), Query: c.project})
	if err != nil {
		return job{}, err
	}
	return readJob(answer.JSON)
}

// result fetches what a job that has ended well extracted.
func (c *cloud) result(ctx context.Context, j job) (extractOutput, error) {
	answer, err := c.service.Do(ctx, rest.Request{
		Method: http.MethodGet, Path: jobs + "/" + url.PathEscape(j.id) + "/result", Query: c.project,
	})
	if err != nil {
		return extractOutput{}, about(j, err)
	}
	data, ok := answer.JSON.Get("data")
	if !ok {
		return extractOutput{}, about(j, actions.Errorf(actions.CodeFailed, "%s: the answer is no result: it has no data", name))
	}
	c.env.Keep(answer.Raw)
	out := extractOutput{Data: data, JobID: j.id, Status: j.status}
	if metadata := answer.JSON.At("extraction_metadata"); !metadata.IsNull() {
		out.Metadata = &metadata
	}
	return out, nil
}

// about says of which job an error is, so that it can be looked up.
func about(j job, err error) error {
	return &actions.Error{
		Code: actions.CodeOf(err), Message: err.Error() + " (job " + j.id + ")", RetryAfter: actions.RetryAfter(err), Err: err,
	}
}
