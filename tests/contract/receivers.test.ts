// These tests run the receivers of docs/guides/receiving-webhooks.md as an integrator would copy them, and send them
// signed deliveries.
import { execFile, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { canRun, isThere, languagesIn, PREPARE_MS_MAX, root, sources, startReceiver } from './receiver-languages.js';
import type { Language, Receiver } from './receiver-languages.js';

const execute = promisify(execFile);
const directory = `${root}.cache/receivers-${process.pid}`;
const COMPILER_FLAGS =
  '--ignoreConfig --noEmit --strict --skipLibCheck --module nodenext --target es2023 --types node'.split(' ');
const DAY_SECONDS = 86_400;

const SECRET = 'whsec_4f9aQ2mZr7TtVx1Lk8HnYb3Cd5Ej6Gp0SuWiXoAyBzD';
const OTHER = 'whsec_0000000000000000000000000000000000000000000';

const languages = languagesIn(directory);

beforeAll(() => mkdir(directory, { recursive: true }));
afterAll(() => rm(directory, { recursive: true, force: true }));

let events = 0;
const nextEvent = (): { id: string; body: string } => {
  const id = `evt_${process.pid}a${events++}`;
  return { id, body: JSON.stringify({ id, type: 'finding.created', data: { finding_id: 'Grüße "zł"\n' } }) };
};

function signature(secrets: readonly string[], id: string, body: string, ageSeconds = 0): string {
  const t = Math.floor(Date.now() / 1_000) - ageSeconds;
  const v1 = secrets.map((secret) => createHmac('sha256', secret).update(`${id}.${t}.${body}`).digest('hex'));
  return [`t=${t}`, ...v1.map((hex) => `v1=${hex}`)].join(',');
}

// The tests of a language that may be missing are counted as skipped, and their title states the reason.
for (const language of languages) {
  const { name, probe, prepare } = language;
  const isHere = canRun(language);
  (isHere ? describe : describe.skip)(
    isHere ? `the receiver in ${name}` : `the receiver in ${name}: no ${probe[0]} here`,
    () => {
      let receiver: Receiver;
      beforeAll(async () => {
        await prepare?.();
        receiver = await startReceiver(language, { secret: SECRET, eventsDirectory: `${directory}/events` });
      }, PREPARE_MS_MAX);
      afterAll(() => receiver.stop());

      const deliver = (id: string, body: string, header?: string): Promise<number> =>
        receiver.deliver(id, body, header);
      const timesHandled = (id: string): number =>
        receiver.output.filter((line) => line.includes(`handled ${id} `)).length;

      test('handles a signed delivery once, however often it comes', async () => {
        const { id, body } = nextEvent();
        for (let sent = 0; sent < 3; sent++) expect(await deliver(id, body, signature([SECRET], id, body))).toBe(204);
        await eventually(() => expect(timesHandled(id)).toBe(1));
        const next = nextEvent();
        expect(await deliver(next.id, next.body, signature([SECRET], next.id, next.body))).toBe(204);
        // The receiver writes its lines about the second event after all lines about the first one.
        await eventually(() => expect(timesHandled(next.id)).toBe(1));
        expect(timesHandled(id)).toBe(1);
      });

      test('accepts both signatures of a rotation, whether its secret is the new or the previous one', async () => {
        for (const secrets of [
          [SECRET, OTHER],
          [OTHER, SECRET],
        ]) {
          const { id, body } = nextEvent();
          expect(await deliver(id, body, signature(secrets, id, body))).toBe(204);
        }
      });

      test('refuses what is not signed with its secret over exactly these bytes', async () => {
        const { id, body } = nextEvent();
        const good = signature([SECRET], id, body);
        expect(await deliver(id, body, signature([OTHER], id, body))).toBe(400);
        expect(await deliver(id, `${body} `, good)).toBe(400);
        expect(await deliver(nextEvent().id, body, good)).toBe(400);
        expect(await deliver(id, body)).toBe(400);
        for (const header of [
          't',
          'v1=',
          `${good},t=1`,
          good.replace('t=', 't=x'),
          good.slice(0, -1),
          `${good.split(',')[0]}`,
        ]) {
          expect({ header, status: await deliver(id, body, header) }).toEqual({ header, status: 400 });
        }
        expect(await deliver('evt_../../x', body, signature([SECRET], 'evt_../../x', body))).toBe(400);
        expect(await deliver('evt_1.2', body, signature([SECRET], 'evt_1.2', body))).toBe(400);
      });

      test('refuses what was signed more than 300 seconds before or after now', async () => {
        const { id, body } = nextEvent();
        for (const ageSeconds of [302, DAY_SECONDS, -310]) {
          expect(await deliver(id, body, signature([SECRET], id, body, ageSeconds))).toBe(400);
        }
        expect(await deliver(id, body, signature([SECRET], id, body, 290))).toBe(204);
      });

      test('refuses a body of more than a megabyte and other methods, and goes on', async () => {
        const { id, body } = nextEvent();
        const large = 'x'.repeat(2 * 1024 ** 2);
        // A receiver that stops reading may end the connection before its response is read.
        const status = await deliver(id, large, signature([SECRET], id, large)).catch(() => 413);
        expect(status).toBe(413);
        // The connection that ended there may still be taken for the next request.
        await eventually(async () => {
          expect((await fetch(`${receiver.origin}/hooks`)).status).toBeGreaterThanOrEqual(400);
          expect(await deliver(id, body, signature([SECRET], id, body))).toBe(204);
        });
      });
    },
  );
}

test('the receiver in TypeScript compiles', async () => {
  await copyFile(`${sources}/receiver.ts`, `${directory}/compiled.mts`);
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const compiled = execute(process.execPath, [compiler, ...COMPILER_FLAGS, `${directory}/compiled.mts`], { cwd: root });
  await expect(compiled).resolves.toMatchObject({ stdout: '' });
});

test('no receiver starts without a secret', () => {
  for (const language of languages) {
    const { name, run } = language;
    if (name === 'PHP' || !isThere(language)) continue;
    const [program, ...programArgs] = run();
    const { status, stdout } = spawnSync(program, programArgs, {
      env: { ...process.env, NODE_OPTIONS: '', PORT: '0', WEBHOOK_SECRET: '' },
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect({ name, stdout, isRunning: status === null || status === 0 }).toEqual({
      name,
      stdout: '',
      isRunning: false,
    });
  }
});

test('a language that is missing fails on a build machine, unless SKIP_WITHOUT names it', () => {
  const probe = ['no-such-language', '--version'] as const;
  const missing: Language = { name: 'Missing', probe, run: () => probe };
  expect(canRun(missing, {})).toBe(false);
  expect(canRun(missing, { CI: 'true', SKIP_WITHOUT: 'kubectl,no-such-language' })).toBe(false);
  expect(() => canRun(missing, { CI: 'true', SKIP_WITHOUT: 'kubectl' })).toThrow(
    'The receiver in Missing cannot be tested without no-such-language. With SKIP_WITHOUT=no-such-language the tests',
  );
});
