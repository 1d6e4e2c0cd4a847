package hostmod

import (
	"sync"

	"github.com/tea-agents/tea/actions/run/python/object"
)

type (
	obj    = object.Object
	thread = object.Thread
	args   = object.Args
	fn     = func(t *object.Thread, a object.Args) (object.Object, error)
)

// Add makes the modules known to a world, with the methods of their types.
func Add(w *object.World) {
	for name, mk := range map[string]func() *object.Module{
		"math": mathModule, "json": jsonModule, "re": reModule, "time": timeModule, "datetime": datetimeModule,
		"random": randomModule, "hashlib": hashlibModule, "base64": base64Module, "uuid": uuidModule,
		"itertools": itertoolsModule, "collections": collectionsModule, "statistics": statisticsModule,
		"string": stringModule, "textwrap": textwrapModule,
	} {
		w.AddModule(name, sync.OnceValue(mk))
	}
	addConstructors(w)
	w.AddMethods("Counter", counterMethods()...)
	w.AddMethods("OrderedDict", object.On("move_to_end", moveToEnd))
	w.AddMethods("collections.deque", dequeMethods()...)
	w.AddMethods("re.Pattern", patternMethods()...)
	w.AddMethods("re.Match", matchMethods()...)
	w.AddMethods("hash", hashMethods()...)
	w.AddMethods("datetime.date", dateMethods()...)
	w.AddMethods("datetime.datetime", datetimeMethods()...)
	w.AddMethods("datetime.timedelta", object.On("total_seconds", totalSeconds))
}

// addConstructors makes the types of the modules callable.
func addConstructors(w *object.World) {
	for name, f := range map[string]fn{
		"Counter": newCounter, "defaultdict": newDefaultDict, "OrderedDict": newOrderedDict, "collections.deque": newDeque,
		"datetime.datetime": newDatetime, "datetime.date": newDate, "datetime.timedelta": newTimedelta,
		"datetime.timezone": newTimezone, "uuid.UUID": newUUID,
		"datetime.datetime.now": datetimeNow, "datetime.datetime.utcnow": datetimeUTCNow, "datetime.datetime.today": datetimeToday,
		"datetime.datetime.fromisoformat": datetimeFromISO, "datetime.datetime.strptime": datetimeStrptime,
		"datetime.datetime.fromtimestamp": datetimeFromTimestamp, "datetime.datetime.utcfromtimestamp": datetimeUTCFromTimestamp,
		"datetime.datetime.combine": datetimeCombine,
		"datetime.date.today":       dateToday, "datetime.date.fromisoformat": dateFromISO,
	} {
		w.AddBuiltin("type "+name, &object.Builtin{Name: name, Fn: f})
	}
	w.AddBuiltin("type datetime.timezone.utc", utc())
}

// bindStr is Bind for a function of one string.
func bindStr(a args, name, param string) (string, error) {
	var x obj
	if err := a.Bind(name, param, &x); err != nil {
		return "", err
	}
	return strArg(x, name)
}

func strArg(x obj, name string) (string, error) {
	s, ok := object.AsStr(x)
	if !ok {
		return "", object.TypeErrorf("%s() argument must be str, not %s", name, x.TypeName())
	}
	return s, nil
}

// intOr is an optional integer argument.
func intOr(x obj, missing int) (int, error) {
	if object.IsNone(x) {
		return missing, nil
	}
	return object.IntArg(x)
}

// module makes a module of functions and other members.
func module(name string, fns map[string]fn, members map[string]obj) *object.Module {
	m := &object.Module{Name: name, Members: make(map[string]obj, len(fns)+len(members))}
	for n, f := range fns {
		m.Members[n] = &object.Builtin{Name: n, Fn: f}
	}
	for n, o := range members {
		m.Members[n] = o
	}
	return m
}
