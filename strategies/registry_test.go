package strategies

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/arenalab/arenalab/lifetime"
)

func TestLookup(t *testing.T) {
	list, err := Lookup("greedy-size*,naive")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.Info().Name)
	}
	if want := []string{"greedy-size", "greedy-size-best-fit", "greedy-size-worst-fit", "naive"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	every, err := Lookup("all")
	if err != nil || len(every) != len(All()) {
		t.Errorf("all: %d strategies of %d, %v", len(every), len(All()), err)
	}
	_, err = Lookup("greedysize")
	if err == nil || !strings.Contains(err.Error(), `unknown strategy "greedysize", did you mean "greedy-size"?; known: all, anytime, best-fit,`) {
		t.Errorf("error %v", err)
	}
}

func TestInfo(t *testing.T) {
	last := ""
	for _, s := range All() {
		i := s.Info()
		if i.Name <= last {
			t.Errorf("%q after %q", i.Name, last)
		}
		last = i.Name
		for _, text := range []string{i.Title, i.Summary, i.Reference, i.Complexity} {
			if text == "" || strings.ContainsAny(text, "\n\t") {
				t.Errorf("%s: text %q", i.Name, text)
			}
		}
		if len(i.Summary) > 76 {
			t.Errorf("%s: summary of %d characters", i.Name, len(i.Summary))
		}
	}
}

func TestRegisterPanics(t *testing.T) {
	for _, name := range []string{"naive", "all", "Not Kebab", ""} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("name %q was registered", name)
				}
			}()
			Register(named{name})
		}()
	}
}

type named struct{ name string }

func (n named) Info() Info { return Info{Name: n.name} }
func (n named) Plan(context.Context, *lifetime.Table, Options) (*lifetime.Plan, error) {
	return nil, nil
}
