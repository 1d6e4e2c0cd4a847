// Package llamaextracttest is a stand-in for LlamaCloud: it speaks the part of
// its public API that llamaextract.extract uses, and remembers what was asked.
package llamaextracttest
