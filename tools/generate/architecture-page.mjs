// Writes the generated parts of docs/architecture.md. Their sources are the service map in tools/topology, the first
// comment in each service, package.json and README of each package, the routes of the gateway, and the event catalogue,
// as last compiled. The rest of the page is written by hand. `node tools/generate/architecture-page.mjs --check` only
// compares, as part of `npm test`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { events } from '@invoicecontrol/contracts/events';
import { routes } from '@invoicecontrol/gateway/routes';
import { fillMarks } from '@invoicecontrol/topology/fill-marks';
import { readService } from '@invoicecontrol/topology/read-services';
import { databaseName, services, startOrder } from '@invoicecontrol/topology/services';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = `${root}docs/architecture.md`;
/** Service names in the order of the architecture picture: the gateway first, and then the services behind it. */
const names = [...new Set(['gateway', ...services.gateway.calls, ...startOrder])];
const found = new Map(names.map((name) => [name, readService(name)]));
const stored = names.filter((name) => services[name].protocol === 'grpc');
/** Names of the collections that every database has. */
const common = stored
  .map((name) => found.get(name).collections)
  .reduce((all, own) => all.filter((one) => own.includes(one)));

const parts = {
  calls: calls(),
  services: ownership(),
  common: `\n${list(common.map((name) => `\`${name}\``))}\n\n`,
  packages: packages(),
  routes: routeTable(),
  events: eventTable(),
};
const before = readFileSync(page, 'utf8');
const written = Object.entries(parts).reduce((text, [name, part]) => fillMarks(text, name, part), before);

if (!process.argv.includes('--check')) {
  writeFileSync(page, written);
} else if (before !== written) {
  console.error(
    'docs/architecture.md is not what the code says: write its tables again with `npm run build && node tools/generate/architecture-page.mjs`.',
  );
  process.exitCode = 1;
}

/** Returns the edges of the architecture picture between services, databases and the broker. */
function calls() {
  return names
    .flatMap((name) => {
      const id = databaseName(name);
      const publishes = Object.values(events).some((event) => event.service === name);
      return [
        ...services[name].calls.map((called) => `${id} -- gRPC --> ${databaseName(called)}`),
        ...(services[name].protocol === 'grpc' ? [`${id} --- mongo_${id}[("MongoDB<br/>${id}")]`] : []),
        publishes ? `${id} <-. events .-> nats` : `nats -. events .-> ${id}`,
      ];
    })
    .map((edge) => `  ${edge}\n`)
    .join('');
}

function ownership() {
  const rows = names.map((name) => {
    const { collections, serves, asks, handles, receives } = found.get(name);
    return [
      name,
      list(collections.filter((one) => !common.includes(one))),
      list(serves),
      list(eventNames(Object.keys(events).filter((key) => events[key].service === name))),
      list(eventNames([...handles, ...receives])),
      asks.map(([owner, groups]) => `${owner} (${groups.join(', ')})`).join('; '),
    ];
  });
  return table(['service', 'collections', 'rpc groups', 'publishes', 'listens to', 'calls'], rows);
}

/** The architecture page states the purpose of a package by the first sentence of its README. */
function packages() {
  const workspaces = ['packages', 'services', 'tools']
    .flatMap((folder) => readdirSync(root + folder, { withFileTypes: true }).map(({ name }) => `${folder}/${name}`))
    .concat('simulators', 'tests')
    .flatMap((path) => readManifest(path));
  const rows = workspaces
    .filter(({ path }) => path.startsWith('packages/'))
    .map(({ path, name }) => {
      const users = workspaces.filter(({ dependencies = {} }) => name in dependencies).map((user) => user.path);
      const below = (folder) =>
        users.filter((user) => user.startsWith(`${folder}/`)).map((user) => user.slice(folder.length + 1));
      const elsewhere = users.filter((user) => !/^(?:packages|services)\//.test(user));
      return [
        `[${path.split('/')[1]}](../${path}/README.md)`,
        firstSentence(path),
        allOr(below('services')),
        list(below('packages')),
        list(elsewhere),
      ];
    });
  return table(['package', 'contents', 'services that use it', 'packages', 'elsewhere'], rows);
}

function readManifest(path) {
  try {
    return [{ ...JSON.parse(readFileSync(`${root}${path}/package.json`, 'utf8')), path }];
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  }
}

function firstSentence(path) {
  const [, paragraph] = /^# .*\n\n([^]*?)\n(?:\n|$)/.exec(readFileSync(`${root}${path}/README.md`, 'utf8')) ?? [];
  if (paragraph === undefined) throw new Error(`${path}/README.md does not begin with a title and a paragraph.`);
  const [sentence] = /^.*?(?:\.(?= )|$)/.exec(paragraph.replaceAll('\n', ' '));
  return sentence
    .replaceAll(/ \(\[[^\]]*\]\([^)]*\)[^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\.$/, '');
}

/**
 * Lists the services that use a package. The list is `all` or `all but gateway` if that is shorter than their names.
 */
function allOr(users) {
  const others = names.filter((name) => !users.includes(name));
  if (others.length === 0) return 'all';
  return others.length < 3 ? `all but ${list(others)}` : list(names.filter((name) => users.includes(name)));
}

/** Writes the table of API routes. The numbers are the numbers of the endpoints in the specification. */
function routeTable() {
  const numbers = new Map(
    [...readFileSync(`${root}docs/specification.md`, 'utf8').matchAll(/^\| (\d+) \| ([A-Z]+ \/\S*) \|/gm)].map(
      ([, number, endpoint]) => [endpoint, number],
    ),
  );
  const rows = routes.map((route) => {
    const endpoint = `${route.method.toUpperCase()} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    const { access } = route;
    return [
      numbers.get(endpoint) ?? '',
      endpoint,
      access === 'public'
        ? 'no key'
        : `${access.minimumRole ?? '-'}${access.needsSubscription ? ' + subscription' : ''}`,
      access === 'public' ? '' : access.scope,
      [route.rpc, ...(route.alsoAsks ?? [])].map(shortRpc).join(', '),
      route.ratePolicy ?? '',
      list(Object.keys(route.responses)),
    ];
  });
  return table(['#', 'method and path', 'role', 'scope', 'rpc', 'limit', 'success'], rows);
}

/** Returns the name of an rpc as the architecture page shows it, such as `analysis InvoiceService/GetInvoice`. */
function shortRpc(rpc) {
  return rpc.replace(/^invoicecontrol\.(\w+)\.v\d+\./, '$1 ');
}

/** Writes the table of events. An event that several services publish has one row. */
function eventTable() {
  const rows = [...new Set(Object.values(events).map(({ name }) => name))].map((name) => {
    const keys = Object.keys(events).filter((key) => events[key].name === name);
    const listeners = (way) =>
      list(names.filter((service) => found.get(service)[way].some((key) => keys.includes(key))));
    const publishers = keys.map((key) => events[key].service);
    return [
      `[${name}](events.md#${publishers[0]}-${name})`,
      list(publishers),
      listeners('handles'),
      listeners('receives'),
    ];
  });
  return table(['event', 'published by', 'durable for', 'broadcast to'], rows);
}

function eventNames(keys) {
  return [...new Set(keys.map((key) => events[key].name))];
}

/** Writes a Markdown table with one line for each row, so that a changed row shows as one changed line. */
function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return `\n<!-- prettier-ignore -->\n${[head, head.map(() => '---'), ...rows].map(line).join('\n')}\n\n`;
}

function list(words) {
  return words.join(', ');
}
