import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../run.js';

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../packages/extraction/fixtures/${name}`, import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validate-documents-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const validate = (...args: string[]) => validateIn({}, ...args);

async function validateIn(env: NodeJS.ProcessEnv, ...args: string[]) {
  let stdout = '';
  let stderr = '';
  const exitCode = await run(['validate-documents', ...args], {
    // The environment has no address and no token, because the command needs no running system.
    env: { DATA_DIR: '/nonexistent', ...env },
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
  });
  const lines = args.includes('--json') ? stdout.trimEnd().split('\n').filter(Boolean) : [];
  return { exitCode, stdout, stderr, results: lines.map((line): unknown => JSON.parse(line)) };
}

test('prints one line for each file, in their order, without a running system', async () => {
  const peppol = fixture('ubl-credit-note-peppol.xml');
  const note = await file('note.xml', '<note/>');
  const text = await file('text.txt', 'no invoice');
  const { exitCode, stderr, results } = await validate('--json', note, peppol, text, peppol);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const read = { file: peppol, format: 'UBL', profile: 'PEPPOL_BIS', validation: null, failure: null };
  const failed = { format: null, profile: null, validation: null };
  const failure = { code: 'PROCESSING_FAILED', message: expect.any(String), reason: 'UNSUPPORTED_FORMAT' };
  expect(results).toEqual([{ file: note, ...failed, failure }, read, { file: text, ...failed, failure }, read]);
});

test('checks an invoice against the rules that the mode asks for', async () => {
  const peppol = fixture('ubl-credit-note-peppol.xml');
  const { results } = await validate('--json', '--mode', 'ALL', peppol);
  expect(results).toEqual([
    expect.objectContaining({
      validation: expect.objectContaining({
        mode: 'ALL',
        profile: 'PEPPOL_BIS',
        ruleSets: expect.arrayContaining([expect.stringMatching(/^en16931-/), expect.stringMatching(/^peppol-/)]),
        rules: expect.arrayContaining([expect.objectContaining({ id: 'BR-10' })]),
      }),
    }),
  ]);
});

test('runs the rules on a fragment that is no whole invoice', async () => {
  const fragment = await file(
    'fragment.xml',
    `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
       xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
       <cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID></Invoice>`,
  );
  const { results } = await validate('--mode', 'ALL', '--json', fragment);
  expect(results).toEqual([
    {
      file: fragment,
      format: 'UBL',
      profile: 'PLAIN',
      validation: expect.objectContaining({
        rules: expect.arrayContaining([expect.objectContaining({ id: 'BR-02' })]),
      }),
      failure: expect.objectContaining({ reason: 'FIELDS_MISSING' }),
    },
  ]);
});

test('prints the findings for people', async () => {
  const { exitCode, stdout } = await validate(fixture('fatturapa-freelancer.xml'));
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/fatturapa-freelancer.xml is read\.[^]*Format\s+FATTURAPA[^]*Profile\s+FATTURAPA/);
});

test.each([
  ['no file', [], /validate-documents needs FILE\.\.\./],
  ['a file that does not exist', ['/nonexistent/a.xml'], /The file \/nonexistent\/a\.xml does not exist\./],
  ['a folder', ['/'], /The file \/ does not exist\./],
  ['an unknown mode', ['--mode', 'SOME', '/etc/hostname'], /--mode must be one of ALL, DECLARED_PROFILES, OFF/],
  ['an address', ['--address', 'a:1', '/etc/hostname'], /Unknown option '--address'/],
])('refuses %s before it reads any', async (_, args, message) => {
  const { exitCode, stdout, stderr } = await validate(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(message);
});

test('refuses a file above 25 MiB without reading all of it', async () => {
  const most = await file('most.bin', Buffer.alloc(26_214_400, '%PDF-'));
  const tooLarge = await file('large.bin', Buffer.alloc(26_214_401, '%PDF-'));
  const { results } = await validate('--json', most, tooLarge);
  expect(results).toMatchObject([{ failure: { reason: 'DAMAGED' } }, { failure: { reason: 'TOO_LARGE' } }]);
});

test('loads the official rules of RULES_DIR, and says which file of it it cannot use', async () => {
  const rules = await mkdtemp(join(folder, 'rules-'));
  await writeFile(join(rules, 'misnamed.sef.json'), '{}');
  const { exitCode, stderr } = await validateIn({ RULES_DIR: rules }, fixture('ubl-credit-note-peppol.xml'));
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('misnamed.sef.json') });
});
