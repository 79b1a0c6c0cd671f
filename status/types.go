package status

// Fields of these types are added, but neither renamed nor removed: programs read them.

// Process is what one process tells of itself.
type Process struct {
	PID           int            `json:"pid"`
	State         State          `json:"state"` // by who asks
	Program       string         `json:"program"`
	Host          string         `json:"host"`
	Communicators []Communicator `json:"communicators"`
	Joining       []Joining      `json:"joining"`  // communicators whose ranks are still awaited
	LeftOut       int            `json:"left_out"` // communicators that there was no room for
}

// State says how a process answered.
type State string

// The states. A process that does not answer has no more than a number and a name.
const (
	Answered State = "answered"
	Stopped  State = "stopped" // by a signal or a debugger
	Silent   State = "silent"
	Refused  State = "refused" // it is another user's
)

// Communicator is one rank of a communicator, as its process sees it.
type Communicator struct {
	Name      string     `json:"name"` // "": it has none
	Rank      int        `json:"rank"`
	Size      int        `json:"size"`
	Members   []Member   `json:"members"`
	Operation *Operation `json:"operation"` // the collective that this rank is in, or was in last; null before the first
	InCall    bool       `json:"in_call"`   // a thread of the program is in a call on it
	Waits     string     `json:"waits"`     // the call that waits and has not moved for a while; "": none
	Still     float64    `json:"still"`     // for how many seconds nothing has moved in it
	InLine    int        `json:"in_line"`   // requests, calls of streams and groups that are not done
	InStreams int        `json:"in_streams"`
	Failure   *Failure   `json:"failure"` // why it can no longer be used; null: it can
	Late      []Late     `json:"late"`    // whom the wait is for
	LateText  string     `json:"late_text"`
}

// Member is what a rank knows of another one.
type Member struct {
	Rank   int    `json:"rank"`
	Host   string `json:"host"`
	PID    int    `json:"pid"`
	Number uint64 `json:"number"` // of the collective that it is in, or was in last
	Inside bool   `json:"inside"`
	Gone   string `json:"gone"` // "": it is there; "left", "died"
}

// Operation is a collective.
type Operation struct {
	Name      string `json:"name"`
	Number    uint64 `json:"number"` // from 1, on its communicator
	Text      string `json:"text"`   // as errors name it
	Elements  uint64 `json:"elements"`
	Type      string `json:"type"`
	Bytes     uint64 `json:"bytes"`
	Algorithm string `json:"algorithm"`
	Inside    bool   `json:"inside"`
}

// Failure is what has ended a communicator.
type Failure struct {
	Code int    `json:"code"` // a hcommResult_t
	Text string `json:"text"`
}

// Late is a rank that others wait for.
type Late struct {
	Rank    int    `json:"rank"`
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Called  bool   `json:"called"` // it has come to the collective that the others are in
	Stopped bool   `json:"stopped"`
	Does    string `json:"does"`
}

// Joining is a communicator whose ranks are still awaited.
type Joining struct {
	Rank    int     `json:"rank"`
	Size    int     `json:"size"`
	At      string  `json:"at"` // where they meet
	Waited  float64 `json:"waited"`
	Limit   float64 `json:"limit"`   // after how many seconds that is an error
	Missing []int   `json:"missing"` // as far as this rank knows: rank 0 knows all, the others whether rank 0 is there
	Met     bool    `json:"met"`     // all have come, and tell each other what they are
}
