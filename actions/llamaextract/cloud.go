package llamaextractactions

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/rest"
	"github.com/tea-agents/tea/value"
)

// cloud is LlamaCloud for the length of one call.
type cloud struct {
	service *rest.Service
	project url.Values // goes with requests that belong to a project
	env     actions.Env
}

// agent is an extraction agent; the zero one is none.
type agent struct{ id, name string }

const agents = "/api/v1/extraction/extraction-agents"

// extract finds the agent before anything is uploaded.
func (c *cloud) extract(ctx context.Context, in extractInput) (extractOutput, error) {
	start := c.env.Clock.Now()
	doc, err := c.read(ctx, in)
	if err != nil {
		return extractOutput{}, err
	}
	by, err := c.agent(ctx, in)
	if err != nil {
		return extractOutput{}, err
	}
	file, err := c.upload(ctx, doc)
	if err != nil {
		return extractOutput{}, err
	}
	j, err := c.start(ctx, in, by, file)
	if err != nil {
		return extractOutput{}, err
	}
	j, err = c.wait(ctx, j, start, in)
	if err != nil {
		return extractOutput{}, err
	}
	out, err := c.result(ctx, j)
	if by.name == "" {
		by.name = j.agent
	}
	out.AgentName = by.name
	return out, err
}

func (c *cloud) agent(ctx context.Context, in extractInput) (agent, error) {
	switch {
	case in.AgentID != "":
		return agent{id: in.AgentID}, nil
	case in.AgentName != "":
		return c.named(ctx, in.AgentName)
	case in.Schema != nil:
		return agent{}, nil
	}
	all, err := c.agents(ctx)
	if err != nil {
		return agent{}, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	if len(all) == 0 {
		return agent{}, actions.Errorf(actions.CodeInvalidInput, "give a schema: the project has no extraction agent")
	}
	return agent{}, actions.Errorf(actions.CodeInvalidInput, "give agent_name: the project has %d extraction agents (%s)",
		len(all), strings.Join(names(all), ", "))
}

// named finds the agent called name.
func (c *cloud) named(ctx context.Context, name string) (agent, error) {
	answer, err := c.service.Do(ctx, rest.Request{
		Method: http.MethodGet, Path: agents + "/by-name/" + url.PathEscape(name), Query: c.project,
	})
	if err == nil {
		return c.readAgent(answer.JSON)
	}
	if actions.CodeOf(err) != actions.CodeNotFound {
		return agent{}, err
	}
	message := "agent_name: LlamaCloud has no extraction agent " + strconv.Quote(name)
	if all, listErr := c.agents(ctx); listErr == nil { // else the first failure says enough
		if hint := diag.DidYouMean(name, names(all)); hint != "" {
			message += " (" + hint + ")"
		}
	}
	return agent{}, actions.Errorf(actions.CodeNotFound, "%s", message)
}

func (c *cloud) agents(ctx context.Context) ([]agent, error) {
	answer, err := c.service.Do(ctx, rest.Request{Method: http.MethodGet, Path: agents, Query: c.project})
	if err != nil {
		return nil, err
	}
	var all []agent
	for _, item := range answer.JSON.Items() {
		a, err := c.readAgent(item)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func (c *cloud) readAgent(v value.Value) (agent, error) {
	id, err := need(v, "an extraction agent", "id")
	return agent{id: id, name: v.At("name").Text()}, err
}

func names(all []agent) []string {
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = a.name
	}
	return out
}

// need returns a text that an answer must have.
func need(v value.Value, what, key string) (string, error) {
	if text := v.At(key).Text(); text != "" {
		return text, nil
	}
	return "", actions.Errorf(actions.CodeFailed, "%s: the answer is not %s: it has no %s", name, what, key)
}
