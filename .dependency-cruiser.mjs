// The rules about imports. Every rule has a fixture under tests/architecture/fixtures that exactly this rule must
// report.

const layers = 'application|clients|domain|storage|transport';
/**
 * The layers of a service are folders in its `src/`, or in those subfolders of `src/` that are separate modules. This
 * file calls such a subfolder a room.
 */
const anyRoom = '(?:[^/]+/|)';
const tests = '\\.test\\.ts$';
/** Names of libraries that only compute, without input or output. Code in `domain/` may therefore import them. */
const computing = '^(node:)?crypto$|(^|/)node_modules/(any-ascii|decimal\\.js|fastest-levenshtein|uuid)/';
/** Names of libraries that read certificates and sign documents. Like the libraries above, they only compute. */
const signing = '(^|/)node_modules/(@peculiar/x509|asn1js|xml-crypto)/';
/** Modules with the type of a canonical invoice, but not those that convert it for gRPC or for the public API. */
const invoice = '^packages/invoice/src/(canonical-invoice|testing/invoices)\\.ts$';
/** Modules with the types of ERP records, but not the module that converts them to gRPC messages. */
const books = '^packages/books/src/(?!wire)[^/]+\\.ts$';
/** Modules that `domain/` may import: the engine, shared values and refusals, and modules that only compute. */
const pure = [
  '^packages/(api-key|engine|errors|payment-files|public-events|values)/',
  invoice,
  books,
  '^packages/tenants/src/facts\\.ts$',
  '^packages/secretbox/src/sealed-value\\.ts$',
  computing,
  signing,
].join('|');
/** Folders of the engine that are separate modules (rooms). The first ones are the lowest layers. */
const engineRooms = [
  'data',
  'facts',
  'explanation',
  'policy',
  'normalisation',
  'supplier',
  'matching',
  'detectors',
  'scoring',
];
const gatewayRooms = ['response', 'limits', 'connection', 'body', 'access', 'description'];
const analysisRooms = [
  'records',
  'rates',
  'policies',
  'reviews',
  'reading',
  'books',
  'facts',
  'decisions',
  'uploads',
  'scans',
  'examination',
  'replays',
];
const drivers = '(^|/)node_modules/(@grpc|@nats-io|express|mongodb)/';

/**
 * Configuration of dependency-cruiser: the imports that are forbidden.
 * @type {import('dependency-cruiser').IConfiguration}
 */
export default {
  forbidden: rules([
    {
      name: 'domain-is-pure',
      comment:
        'Decisions stay readable and testable without knowing where data comes from: move the import to application/ or storage/.',
      from: { path: `^services/([^/]+)/src/${anyRoom}domain/`, pathNot: tests },
      to: { pathNot: `^services/$1/src/${anyRoom}domain/|${pure}` },
    },
    {
      name: 'engine-is-pure',
      comment:
        'The engine decides by facts alone: what organizations, reviews, storage or transport know is handed to it as facts.',
      from: { path: '^packages/engine/src/', pathNot: tests },
      to: { pathNot: `^packages/(engine|values)/|${invoice}|${computing}` },
    },
    ...roomsGoDown('engine-rooms-go-down', 'packages/engine/src', engineRooms),
    ...roomsGoDown('gateway-rooms-go-down', 'services/gateway/src/http', gatewayRooms),
    ...roomsGoDown('analysis-rooms-go-down', 'services/analysis/src', analysisRooms, 'foundation', 'telemetry'),
    {
      name: 'engine-keeps-its-rules',
      comment: 'Who uses the engine calls run-engine.ts and scoring/: detectors and matching may change at any time.',
      from: { path: '^(packages|services|simulators|tests|tools)/', pathNot: '^packages/engine/|^tests/bench/' },
      to: { path: '^packages/engine/src/(detectors|matching)[/.]' },
    },
    {
      name: 'application-knows-no-adapter',
      comment: 'A use case declares the narrow interface it needs; compose.ts hands it what implements that.',
      from: { path: `^services/([^/]+)/src/${anyRoom}application/`, pathNot: tests },
      to: { path: `^services/$1/src/${anyRoom}(storage|transport|clients)/|${drivers}` },
    },
    {
      name: 'adapters-are-strangers',
      comment: 'Transport, storage and clients meet in compose.ts alone; transport reaches data through a use case.',
      from: { path: `^services/([^/]+)/src/${anyRoom}(storage|transport|clients)/`, pathNot: tests },
      to: {
        path: `^services/$1/src/${anyRoom}(storage|transport|clients)/`,
        pathNot: `^services/$1/src/${anyRoom}$2/`,
      },
    },
    {
      name: 'only-compose-sees-everyone',
      comment: 'Files next to compose.ts (config, telemetry) are imported by the layers and import none of them.',
      from: { path: '^services/[^/]+/src/[^/]+\\.ts$', pathNot: `/(compose|main|telemetry[^/]*)\\.ts$|${tests}` },
      to: { path: `^services/[^/]+/src/${anyRoom}(${layers})/` },
    },
    {
      name: 'telemetry-sees-only-the-domain',
      comment:
        'telemetry.ts takes the codes of the domain, so that the compiler compares them with the declared values.',
      from: { path: '^services/[^/]+/src/telemetry[^/]*\\.ts$', pathNot: tests },
      to: { path: `^services/[^/]+/src/${anyRoom}(${layers})/`, pathNot: `^services/[^/]+/src/${anyRoom}domain/` },
    },
    {
      name: 'nobody-sees-compose',
      comment:
        'A layer gets what it needs; only main.ts (and code that starts the whole service) imports compose.ts, and the compose.ts of a service imports those of its rooms.',
      from: { path: '^services/[^/]+/src/', pathNot: `/(compose|main)\\.ts$|${tests}` },
      to: { path: `^services/[^/]+/src/${anyRoom}(compose|main)\\.ts$` },
    },
    {
      name: 'services-are-strangers',
      comment: 'Services talk over gRPC and NATS: import the contract from packages/contracts instead.',
      from: { path: '^services/([^/]+)/', pathNot: tests },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'services-know-no-tools',
      comment: 'Tools, simulators and test support are not deployed.',
      from: { path: '^services/', pathNot: tests },
      to: { path: '^(tools|simulators|tests|packages/testkit)/' },
    },
    {
      name: 'packages-know-no-service',
      comment:
        'Shared code is below all services. A test of a package may use the tools that start its infrastructure.',
      from: { path: '^packages/', pathNot: tests },
      to: { path: '^(services|tools|simulators|tests)/' },
    },
    {
      name: 'runtime-knows-no-feature',
      comment:
        'The shell of a process is below all features: a feature has a package of its own, which hands the shell what it adds.',
      from: { path: '^packages/runtime/src/', pathNot: tests },
      to: { path: '^packages/', pathNot: '^packages/(contracts|errors|runtime)/' },
    },
    {
      name: 'transport-loads-no-driver',
      comment:
        'The gateway has no database and loads no driver: hand the store in through an interface that the transport declares (dead letters, isOutage).',
      from: { path: '^(packages/runtime/src/(grpc|nats)|services/gateway/src)/', pathNot: tests },
      to: { path: '^packages/runtime/src/mongo/|(^|/)node_modules/mongodb/', reachable: true },
    },
    {
      name: 'stores-know-no-transport',
      comment: 'A store and a wire format share (pages, positions) a file that imports neither.',
      from: {
        path: `^(services/[^/]+/src/${anyRoom}(application|storage)/|packages/runtime/src/mongo/|packages/(metering|retention)/src/(?!.*-service\\.ts$))`,
        pathNot: tests,
      },
      to: { path: '^packages/runtime/src/grpc/' },
    },
    {
      name: 'gateway-serves-no-operator',
      comment: 'What is for the operator alone is called by tools/admin, inside the network; no route leads to it.',
      from: { path: '^services/gateway/' },
      to: { path: '^packages/contracts/src/.*/operator_service\\.ts$' },
    },
    {
      name: 'client-stands-alone',
      comment: 'Integrators install packages/client without this repository: it has no other workspace and no library.',
      from: { path: '^packages/client/', pathNot: tests },
      to: { path: '^packages/|(^|/)node_modules/', pathNot: '^packages/client/' },
    },
    {
      name: 'no-cycles',
      comment: 'Move what both need into a third file.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-barrels',
      comment: 'Import the file that declares the thing; packages name their entries in package.json.',
      from: {},
      to: { path: '(^|/)index\\.[cm]?[jt]s$', pathNot: 'node_modules/' },
    },
    {
      name: 'nothing-unresolvable',
      comment:
        'A rule cannot see through an import that leads nowhere: correct the path, or add the entry to `exports` of the package.',
      from: {},
      to: { couldNotResolve: true },
    },
  ]),
  options: {
    // TypeScript 7 has no compiler API, so swc reads the files. Imports of types count like all others.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules/|/src/gen/' },
    exclude: { path: '(^|/)dist/|^tests/architecture/fixtures/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
    },
  },
};

/**
 * Forbids imports from a folder of a service to a later folder in the list, and to testing/. A file next to these
 * folders may be imported only if `besides` names it.
 */
function roomsGoDown(name, folder, rooms, ...besides) {
  return rooms.map((room, index) => ({
    name,
    comment: `The rooms of ${folder} read downwards (${rooms.join(' < ')}): move what both need into the lower one.`,
    from: { path: `^${folder}/${room}/`, pathNot: tests },
    to: {
      path: `^${folder}/((${[...rooms.slice(index + 1), 'testing'].join('|')})/|(?!(${besides.join('|')})\\.ts$)[^/]+$)`,
    },
  }));
}

function rules(forbidden) {
  return forbidden.map((rule) => ({ severity: 'error', ...rule }));
}
