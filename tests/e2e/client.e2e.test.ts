// Compiles and runs the lines of packages/client/README.md as an integrator would copy them, and sends the requests of
// its Postman collection.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useSharedSystem } from './running-system.js';
import type { Answer, RunningSystem } from './running-system.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
// The directory of the test is below the root of the repository, so that Node.js finds the package by its name.
const directory = `${root}.cache/client-readme-${process.pid}`;
const COMPILER_FLAGS =
  '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node'.split(' ');

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
  const readme = await readFile(`${root}packages/client/README.md`, 'utf8');
  const lines = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('\n');
  await mkdir(directory, { recursive: true });
  for (const name of ['example.mts', 'example.mjs']) await writeFile(`${directory}/${name}`, lines);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await running.stop();
});

test('the example of the README compiles', async () => {
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const compiled = execute(process.execPath, [compiler, ...COMPILER_FLAGS, `${directory}/example.mts`], { cwd: root });
  await expect(compiled).resolves.toMatchObject({ stdout: '' });
});

test('the example of the README prints the decision, the findings and the refusal that it asks for', async () => {
  const { stdout } = await execute(process.execPath, [`${directory}/example.mjs`], {
    env: {
      ...process.env,
      INVOICE_CONTROL_URL: running.system.baseUrl,
      INVOICE_CONTROL_API_KEY: running.tenant.keys.owner,
    },
  });
  const lines = stdout.trimEnd().split('\n');
  const isFinding = (line: string): boolean => line.startsWith('INFO ');
  const isListed = (line: string): boolean => /^[0-9a-f-]{36} [A-Z_]+$/.test(line);
  const [decision, companyId, refusal, meters, ...rest] = lines.filter((line) => !isFinding(line) && !isListed(line));
  expect(decision).toBe('PASS 0');
  // The system under test has no exchange rates, which raises a finding of its own.
  const findings = lines.filter(isFinding);
  expect(findings).toContain('INFO This is the first invoice from Mill Lane Couriers Ltd (GBP 310.00).');
  expect(findings).toContainEqual(expect.stringMatching(/^INFO .* no exchange rate for GBP/));
  expect(companyId).toBe(running.tenant.companyId);
  const listed = lines.filter(isListed).map((line) => line.split(' ')[1]);
  expect(new Set(listed)).toEqual(new Set(['CURRENCY_WITHOUT_RATE', 'SUPPLIER_NEW']));
  expect(refusal).toMatch(/^No such invoice\. \S+$/);
  expect(Number(meters)).toBeGreaterThan(0);
  expect(rest).toEqual([]);
});

interface PostmanItem {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header: readonly { readonly key: string; readonly value: string }[];
    readonly url: {
      readonly raw: string;
      readonly variable: readonly { readonly key: string; readonly value: string }[];
    };
    readonly body?: {
      readonly raw?: string;
      readonly urlencoded?: readonly { readonly key: string; readonly value: string }[];
    };
  };
}

/** Sends a request of the collection as Postman does: with its variables replaced and without disabled parameters. */
function send({ request: { method, header, url, body } }: PostmanItem, key: string): Promise<Answer> {
  const path = url.variable.reduce((filled, { key: name, value }) => filled.replace(`:${name}`, value), url.raw);
  const form = body?.urlencoded?.map(({ key: name, value }): [string, string] => [name, value]);
  return running.request(`${method} ${path.replace('{{baseUrl}}', '')}`, {
    key,
    headers: {
      ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      ...Object.fromEntries(
        header.map(({ key: name, value }) => [name.toLowerCase(), value.replace('{{$guid}}', randomUUID())]),
      ),
    },
    ...(form === undefined ? {} : { bytes: new URLSearchParams(form).toString() }),
    ...(body?.raw === undefined ? {} : { bytes: body.raw }),
  });
}

/**
 * These requests need values that no example can contain: the id of a member, a token that was shown once, a payment
 * provider, a paid checkout, the provider's signature, an OAuth application at an ERP provider, and the state of a consent.
 */
const refused = {
  'Create a routing rule': 400,
  'Restore a deleted organization': 401,
  'Accept an invitation to become a member': 401,
  'Create a link to the hosted checkout': 502,
  'Create a link to the customer portal': 409,
  'Receive a notification from the payment provider': 401,
  'Start connecting QuickBooks Online or Xero': 400,
  'Receive the redirect from the consent page of an ERP': 400,
  'Submit the decision from the confirmation page of an ERP connection': 400,
};

test('every request of the Postman collection is accepted unchanged, except for ids that name nothing', async () => {
  const collection = JSON.parse(await readFile(`${root}packages/client/postman-collection.json`, 'utf8')) as {
    readonly item: readonly { readonly item: readonly PostmanItem[] }[];
  };
  const items = collection.item.flatMap((folder) => folder.item);
  const isDeletion = ({ name }: PostmanItem): boolean => name === 'Delete the current organization';
  const { keys } = await running.newTenant();
  const statuses: Record<string, number> = {};
  // The API key stops working when its organization is deleted, so deletions come last.
  for (const item of [...items.filter((each) => !isDeletion(each)), ...items.filter(isDeletion)]) {
    statuses[item.name] = (await send(item, keys.owner)).status;
  }
  expect(statuses).toMatchObject({ ...refused, 'Analyze an invoice': 202, 'Delete the current organization': 200 });
  const others = Object.entries(statuses).filter(([name]) => !(name in refused));
  expect(others.filter(([, status]) => ![200, 201, 202, 204, 404].includes(status))).toEqual([]);
});
