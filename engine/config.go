package engine

import (
	"time"

	"hcomm/settings"
)

// Config is what a communicator may have otherwise than the settings say.
type Config struct {
	Name          string         // for people; "" gives it a number
	Timeout       *time.Duration // of a wait; 0: never. nil: HCOMM_TIMEOUT
	Deterministic *bool          // nil: HCOMM_DETERMINISTIC
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
	}
	return v
}
