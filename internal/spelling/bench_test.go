package spelling_test

import (
	"strings"
	"testing"

	"github.com/tea-agents/tea/internal/spelling"
)

func BenchmarkSecrets(b *testing.B) {
	texts := map[string]string{
		"plain":   strings.Repeat("a plain text without anything in it ", 100),
		"escaped": strings.Repeat(`{"k":"a text\nwith lines\n"}`, 100),
	}
	for name, secret := range map[string]string{
		"key": "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", "anything": `p&ss"w/rd <é🫖> '+' \ 100%`,
	} {
		b.Run("New/"+name, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(len(spelling.New("***", secret).Spelled())), "spellings")
			}
		})
		for kind, text := range texts {
			s := spelling.New("***", secret)
			b.Run("Replace/"+name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					s.Replace(text)
				}
			})
		}
	}
}
