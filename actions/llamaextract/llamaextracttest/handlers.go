package llamaextracttest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
)

type object = map[string]any

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // nobody is there to be told
}

func fail(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"detail": detail}) // likewise
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	f, header, err := r.FormFile("upload_file")
	if err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	content, err := io.ReadAll(f)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fileID := id("file", len(s.files)+1)
	s.files[fileID] = file{name: header.Filename, mediaType: header.Header.Get("Content-Type"), content: string(content)}
	answer(w, object{"id": fileID, "name": header.Filename, "file_size": len(content)})
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []object{}
	for i, name := range s.agents {
		all = append(all, object{"id": id("agent", i+1), "name": name, "data_schema": object{}, "config": object{}})
	}
	answer(w, all)
}

func (s *Server) byName(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.agents, r.PathValue("name"))
	if i < 0 {
		fail(w, http.StatusNotFound, "Extraction agent not found")
		return
	}
	answer(w, object{"id": id("agent", i+1), "name": s.agents[i], "data_schema": object{}, "config": object{}})
}

// create starts a job, with an agent or without one.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	var in struct {
		AgentID  string          `json:"extraction_agent_id"`
		FileID   string          `json:"file_id"`
		Schema   json.RawMessage `json:"data_schema"`
		Override json.RawMessage `json:"data_schema_override"`
		Config   *config         `json:"config"`
		Instead  *config         `json:"config_override"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		fail(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	job := &Job{ID: id("job", len(s.jobs)+1), Schema: string(in.Schema) + string(in.Override)}
	for _, c := range []*config{in.Config, in.Instead} {
		if c != nil {
			job.Mode += c.Mode
		}
	}
	for i, name := range s.agents {
		if id("agent", i+1) == in.AgentID {
			job.Agent = name
		}
	}
	f, ok := s.files[in.FileID]
	alone := strings.HasSuffix(r.URL.Path, "/run")
	if !ok || alone && (len(in.Schema) == 0 || in.Config == nil) || !alone && job.Agent == "" {
		fail(w, http.StatusNotFound, "No such file or extraction agent")
		return
	}
	job.FileName, job.MediaType, job.Content = f.name, f.mediaType, f.content
	s.jobs[job.ID] = job
	s.order = append(s.order, job.ID)
	answer(w, s.describe(job))
}

type config struct {
	Mode string `json:"extraction_mode"`
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	job, ok := s.jobs[r.PathValue("id")]
	if !ok {
		fail(w, http.StatusNotFound, "Job not found")
		return
	}
	job.asked++
	answer(w, s.describe(job))
}

func (s *Server) describe(job *Job) object {
	out := object{"id": job.ID, "status": "PENDING", "error": nil, "extraction_agent": nil}
	if job.Agent != "" {
		out["extraction_agent"] = object{"id": id("agent", slices.Index(s.agents, job.Agent)+1), "name": job.Agent}
	}
	if job.asked >= s.pending {
		out["status"] = s.status
		if s.problem != "" {
			out["error"] = s.problem
		}
	}
	return out
}

func (s *Server) result(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	job, ok := s.jobs[r.PathValue("id")]
	if !ok || job.asked < s.pending {
		fail(w, http.StatusNotFound, "No result")
		return
	}
	data := object{}
	for line := range strings.Lines(job.Content) {
		if key, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			data[key] = text
		}
	}
	answer(w, object{"data": data, "extraction_metadata": object{"usage": object{"num_pages_extracted": 1}}, "run_id": "run-" + job.ID})
}
