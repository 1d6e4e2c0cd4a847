// Package python runs Python code blocks in process: no interpreter on the
// machine, no files, no network, bounded steps and memory.
//
// The language is Python's, with the meaning of CPython 3.11, without what
// needs a real interpreter: try, with, class, async, yield, decorators, and
// modules other than json, re, math, time, datetime, random, hashlib, base64,
// uuid, itertools, collections, statistics, string and textwrap. Compile
// reports each of these at its place and points to `language: python3`.
//
// Known differences from CPython: random is drawn from the injected source, so
// seed gives a repeatable sequence, but not CPython's; regular expressions are
// Go's, without lookaround and backreferences; sets iterate in the order of
// insertion; strings hold no lone surrogates.
package python
