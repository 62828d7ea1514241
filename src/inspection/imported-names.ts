/** @file Names that pickles import: which can only build data, and which give a pickle control over the machine. */

/** Names that tensors, arrays and plain containers need. None runs code of the pickle's choice. */
const DATA = [
  /^collections\.(OrderedDict|defaultdict|deque|Counter)$/,
  /^torch\._utils\._rebuild_(tensor|tensor_v2|tensor_v3|parameter|qtensor|sparse_tensor|device_tensor_from_numpy)$/,
  /^torch(\.cuda)?\.(Float|Half|BFloat16|Double|Long|Int|Short|Char|Byte|Bool|ComplexFloat|ComplexDouble|QInt8|QUInt8)(Storage|Tensor)$/,
  /^torch\.storage\.(UntypedStorage|TypedStorage)$/,
  /^torch\.(device|Size|dtype|float16|float32|float64|bfloat16|int8|int16|int32|int64|uint8|bool)$/,
  /^torch\._tensor\._rebuild_from_type_v2$/,
  /^torch\.nn\.parameter\.Parameter$/,
  /^numpy\.(ndarray|dtype|float64|float32|int64|int32|bool_)$/,
  /^numpy\.(core|_core)\.(multiarray\.(_reconstruct|scalar)|numeric\._frombuffer)$/,
  /^_codecs\.encode$/,
  /^(builtins|__builtin__)\.(set|frozenset|list|dict|tuple|int|float|complex|str|unicode|bytes|bytearray|bool|slice|range|object|long)$/,
  /^copy_?reg\._reconstructor$/,
  /^datetime\.(datetime|date|timedelta|timezone)$/,
  /^pathlib\.(PosixPath|PurePosixPath|WindowsPath|Path)$/,
  /^argparse\.Namespace$/,
  /^joblib\.numpy_pickle\.NumpyArrayWrapper$/,
  /^scipy\.sparse\.(_csr|csr|_csc|csc|_coo|coo)\.\w+$/,
  /^uuid\.UUID$/,
];

/** Modules with functions that start programs, read or write files, open connections, or load more code. */
const POWERFUL =
  /^(os|posix|nt|posixpath|ntpath|subprocess|sys|shutil|socket|socketserver|ssl|pty|pdb|bdb|code|codeop|runpy|importlib|imp|pkgutil|zipimport|marshal|pickle|_pickle|cPickle|cloudpickle|dill|joblib|shelve|ctypes|_ctypes|cffi|multiprocessing|threading|_thread|asyncio|concurrent|signal|webbrowser|urllib|urllib2|urllib3|http|httplib|requests|httpx|aiohttp|ftplib|smtplib|telnetlib|xmlrpc|tempfile|io|_io|fileinput|glob|platform|commands|popen2|timeit|trace|cProfile|profile|doctest|idlelib|lib2to3|pip|setuptools|ensurepip|venv|distutils|site|types|inspect|gc|operator|_operator|functools|_functools|weakref|atexit|builtins|__builtin__|__main__|torch\.hub|torch\.load|torch\.serialization|torch\.utils\.cpp_extension|torch\._dynamo|torch\._inductor|torch\.fx|torch\.jit|torch\.package|numpy\.testing|numpy\.f2py|numpy\.load|numpy\.distutils|logging|sqlite3|winreg|msvcrt|nturl2path|ast|symtable|compileall|py_compile|\?|copyreg-extension)(\.|$)/;

export type NameClass = 'data' | 'powerful' | 'unknown';

/** `powerful`: gives control over the machine, or is computed while the pickle is loaded. `unknown`: code of some other library. */
export function classifyName(name: string): NameClass {
  if (DATA.some((pattern) => pattern.test(name))) return 'data';
  return POWERFUL.test(name) || name.includes('?') || /\.__\w+__(\.|$)/.test(name) ? 'powerful' : 'unknown';
}
