"""Import statements of the standard libraries of Python, Go and Java, by the names that they bind.

They are for names that no file of a project imports yet. Names that are as often those of
variables, or that several modules have, are left out. Names of well-known libraries are for
projects that import from these libraries.
"""

_PYTHON_MODULES = """
    argparse asyncio base64 bisect configparser contextlib copy csv dataclasses functools glob gzip
    hashlib heapq importlib inspect io itertools json logging math os pathlib pickle random re
    shutil socket sqlite3 statistics struct subprocess sys tempfile textwrap threading time
    traceback typing unittest uuid warnings weakref zipfile
"""
_PYTHON_NAMES = {
    "abc": "ABC abstractmethod",
    "argparse": "ArgumentParser",
    "collections": "Counter OrderedDict defaultdict deque namedtuple",
    "collections.abc": """AsyncIterator Awaitable Callable Collection Generator Iterable Iterator
        Mapping MutableMapping Sequence""",
    "concurrent.futures": "ProcessPoolExecutor ThreadPoolExecutor as_completed",
    "contextlib": "ExitStack asynccontextmanager contextmanager nullcontext suppress",
    "copy": "deepcopy",
    "dataclasses": "asdict dataclass field",
    "datetime": "timedelta timezone",
    "decimal": "Decimal",
    "enum": "Enum IntEnum StrEnum",
    "fractions": "Fraction",
    "functools": "cached_property lru_cache partial total_ordering wraps",
    "http": "HTTPStatus",
    "importlib": "import_module",
    "io": "BytesIO StringIO",
    "itertools": "groupby islice pairwise zip_longest",
    "json": "JSONDecodeError",
    "operator": "attrgetter itemgetter",
    "pathlib": "Path",
    "subprocess": "CalledProcessError",
    "tempfile": "NamedTemporaryFile TemporaryDirectory",
    "textwrap": "dedent",
    "types": "MappingProxyType SimpleNamespace TracebackType",
    "typing": """Annotated Any ClassVar Final Generic Literal NamedTuple Optional Protocol Self
        TYPE_CHECKING TypeVar TypedDict Union cast overload""",
    "unittest": "TestCase",
    "unittest.mock": "AsyncMock MagicMock Mock patch",
    "urllib.parse": "urlencode urljoin urlparse",
    "uuid": "UUID uuid4",
    "zoneinfo": "ZoneInfo",
}
_GO_PACKAGES = """
    bufio bytes cmp context crypto/hmac crypto/md5 crypto/sha1 crypto/sha256 crypto/tls
    database/sql embed encoding/base64 encoding/binary encoding/csv encoding/hex encoding/json
    encoding/xml errors flag fmt io io/fs io/ioutil log log/slog maps math math/big math/bits mime
    net net/http net/http/httptest net/mail net/netip net/smtp net/url os os/exec os/signal
    path/filepath reflect regexp runtime slices sort strconv strings sync sync/atomic syscall
    testing text/tabwriter time unicode unicode/utf8 unsafe
"""
_JAVA_CLASSES = {
    "io": "BufferedReader BufferedWriter File IOException InputStream UncheckedIOException",
    "math": "BigDecimal BigInteger RoundingMode",
    "nio.charset": "StandardCharsets",
    "nio.file": "Files Path Paths",
    "time": """Clock Duration Instant LocalDate LocalDateTime LocalTime OffsetDateTime Period ZoneId
        ZoneOffset ZonedDateTime""",
    "time.format": "DateTimeFormatter",
    "util": """ArrayDeque ArrayList Arrays Collection Collections Comparator Deque EnumMap EnumSet
        HashMap HashSet Iterator LinkedHashMap LinkedHashSet LinkedList List Locale Map
        NoSuchElementException Objects Optional PriorityQueue Queue Random Set StringJoiner TreeMap
        TreeSet UUID""",
    "util.concurrent": """Callable CompletableFuture ConcurrentHashMap CountDownLatch
        ExecutorService Executors Future TimeUnit""",
    "util.concurrent.atomic": "AtomicBoolean AtomicInteger AtomicLong AtomicReference",
    "util.function": """BiConsumer BiFunction BinaryOperator Consumer Function Predicate Supplier
        UnaryOperator""",
    "util.stream": "Collectors IntStream Stream",
}

#: Import statements by family of languages and bound name.
STATEMENTS: dict[str, dict[str, str]] = {
    "python": {
        **{name: f"import {name}" for name in _PYTHON_MODULES.split()},
        **{
            name: f"from {module} import {name}"
            for module, names in _PYTHON_NAMES.items()
            for name in names.split()
        },
    },
    "go": {path.rpartition("/")[2]: f'import "{path}"' for path in _GO_PACKAGES.split()},
    "java": {
        name: f"import java.{package}.{name};"
        for package, names in _JAVA_CLASSES.items()
        for name in names.split()
    },
}

_SCRIPT_NAMES = {
    "react": """Fragment StrictMode Suspense createContext createElement createRef forwardRef
        useCallback useContext useDebugValue useDeferredValue useEffect useId useImperativeHandle
        useLayoutEffect useMemo useReducer useRef useState useSyncExternalStore useTransition""",
    "react-router-dom": "useLocation useNavigate useParams useSearchParams",
    "@tanstack/react-query": "useMutation useQuery useQueryClient",
    "@testing-library/react": "fireEvent renderHook waitFor within",
    "vue": """computed defineComponent nextTick onBeforeUnmount onMounted onUnmounted reactive
        shallowRef toRef toRefs watchEffect""",
    "svelte": "createEventDispatcher onDestroy onMount",
    "svelte/store": "derived readable writable",
    "rxjs": "combineLatest firstValueFrom forkJoin switchMap takeUntil",
}

_PYTHON_LIBRARIES = {
    "pydantic": """AliasChoices BaseModel ConfigDict Field TypeAdapter ValidationError
        field_serializer field_validator model_validator""",
    "sqlalchemy": "delete func insert select update",
}

#: By family of languages, modules of libraries by exported name.
LIBRARIES = {
    family: {name: module for module, names in known.items() for name in names.split()}
    for family, known in (("python", _PYTHON_LIBRARIES), ("script", _SCRIPT_NAMES))
}
