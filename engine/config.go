package engine

import (
	"maps"
	"time"

	"hcomm/settings"
)

// Config is what a communicator may have otherwise than the settings say. A nil one changes nothing.
type Config struct {
	Name          string         // for people; "": none
	Timeout       *time.Duration // of a wait; 0: never. nil: HCOMM_TIMEOUT
	Deterministic *bool          // the same on all ranks; nil: HCOMM_DETERMINISTIC
	Stop          func() error   // asked now and then while the ranks are awaited: an error ends that
}

// apply puts it over the settings.
func (k *Config) apply(v settings.Values) settings.Values {
	if k == nil {
		return v
	}
	if k.Timeout != nil {
		v.Timeout = *k.Timeout
	}
	if k.Deterministic != nil {
		v.Deterministic = *k.Deterministic
		v.Said = maps.Clone(v.Said)
		v.Said["HCOMM_DETERMINISTIC"] = "0"
		if v.Deterministic {
			v.Said["HCOMM_DETERMINISTIC"] = "1"
		}
	}
	return v
}

func (k *Config) stop() func() error {
	if k == nil {
		return nil
	}
	return k.Stop
}

func (k *Config) name() string {
	if k == nil {
		return ""
	}
	return k.Name
}
