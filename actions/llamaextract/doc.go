// Package llamaextractactions has the action of the group llamaextract: the
// extraction of structured data from a document by LlamaCloud.
package llamaextractactions
