import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { classifyAnswer } from './classify-answer.js';
import type { Operation } from './classify-answer.js';

const waits = { throttledMs: 60_000, blockedMs: 1_800_000 };
const LOGIN: readonly Operation[] = ['A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7'];
const OTHERS: readonly Operation[] = ['S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S8', 'S9', 'S10', 'R1', 'R2', 'R5'];
const OPERATIONS = [...LOGIN, ...OTHERS];

const page = readFileSync(new URL('../../../../docs/reference/ksef-answers.md', import.meta.url), 'utf8');
/** Rows of the table of KSeF errors in the KSeF reference, without the header. */
const rows = (page.split('\n## ').find((section) => section.startsWith('Errors')) ?? '')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()));

function operationsOf(calls: string): readonly Operation[] {
  if (calls === 'all') return OPERATIONS;
  const [first = '', last = first] = calls.split('-');
  const [from, to] = [first, last].map((name) => OPERATIONS.findIndex((one) => one === name));
  return OPERATIONS.slice(from, Number(to) + 1);
}

const problem = (status: number, more: object = {}): unknown => ({ title: 'Title', status, detail: 'Opis', ...more });

/** Returns the bodies of an error response that are JSON. */
function bodiesOf(status: number, form: string, says: string): readonly unknown[] {
  const other = [undefined, { message: 'no route' }, {}, [], 'text', null, { title: 7, status: 'x' }];
  if (form === 'other') return other;
  if (form === 'gateway') {
    return [
      problem(status, { title: 'Request blocked', security: { incidentId: 'a1b2' } }),
      problem(status, { title: 'Request blocked' }),
      problem(status, { security: { incidentId: 'a1b2' } }),
    ];
  }
  const said = says.replace('another reason', 'a-reason-of-tomorrow').replace('another code', '29999');
  const code = Number(said);
  const own =
    said === ''
      ? [problem(status), problem(status, { reasonCode: '', security: {} }), problem(status, { reasonCode: 7 })]
      : Number.isNaN(code)
        ? [problem(status, { reasonCode: said, security: null })]
        : [
            problem(status, { errors: [{ code, description: 'Opis' }] }),
            { exception: { exceptionDetailList: [{ exceptionCode: code, exceptionDescription: 'Opis' }] } },
          ];
  return form === 'KSeF' ? own : [...own, ...other];
}

const cases = rows.flatMap(([, calls = '', statuses = '', form = '', says = '', takenFor = '']) =>
  operationsOf(calls).flatMap((operation) =>
    statuses.split(' ').map((status) => ({ operation, status: Number(status), form, says, takenFor })),
  ),
);

describe('an answer of KSeF is taken for what the table says', () => {
  test('which has a row for each status that the contract declares, for each call', () => {
    for (const operation of OPERATIONS) {
      const own = cases.filter((one) => one.operation === operation);
      for (const status of [400, 401, 403, 404, 410, 429]) {
        for (const form of status === 429 ? ['any'] : ['KSeF', 'other']) {
          expect([operation, status, form, own.some((one) => one.status === status && one.form === form)]).toEqual([
            operation,
            status,
            form,
            true,
          ]);
        }
      }
    }
  });

  test.each(cases)('$operation $status $form $says: $takenFor', ({ operation, status, form, says, takenFor }) => {
    for (const json of bodiesOf(status, form, says)) {
      const refusal = classifyAnswer({ operation, status, json, retryAfterMs: undefined }, waits);
      const { kind, concerns } = refusal;
      expect([json, kind === 'PERMANENT' ? concerns : kind]).toEqual([json, takenFor]);
    }
  });

  test('and advice that costs work is given only for a missing permission', () => {
    for (const { operation, status, form, says } of cases) {
      for (const json of bodiesOf(status, form, says)) {
        const { message } = classifyAnswer({ operation, status, json, retryAfterMs: undefined }, waits);
        const advises = /Grant|token lacks|new token|connect/i.test(message.replace(/this connection/, ''));
        const isProven = says === 'missing-permissions' || says === 'ip-not-allowed';
        expect([operation, status, says, message, advises && !isProven]).toEqual([
          operation,
          status,
          says,
          message,
          false,
        ]);
      }
    }
  });
});

test('a wait that KSeF states holds, and a block lasts half an hour at least', () => {
  const facts = { operation: 'S1', status: 429, json: undefined } as const;
  expect(classifyAnswer({ ...facts, retryAfterMs: 7_000 }, waits).retryAfterMs).toBe(7_000);
  expect(classifyAnswer({ ...facts, retryAfterMs: undefined }, waits).retryAfterMs).toBe(60_000);
  const blocked = { ...facts, status: 403 };
  expect(classifyAnswer({ ...blocked, retryAfterMs: 7_000 }, waits).retryAfterMs).toBe(1_800_000);
  expect(classifyAnswer({ ...blocked, retryAfterMs: 3_600_000 }, waits).retryAfterMs).toBe(3_600_000);
});

test('a refusal repeats what KSeF says without what nobody sees', () => {
  const json = {
    title: 'Bad Request',
    status: 400,
    errors: [{ code: 21_405, description: 'Zła\u2066 faktura\u2028', details: [] }],
  };
  const { message } = classifyAnswer(
    { operation: 'S2', status: 400, json, retryAfterMs: undefined },
    { throttledMs: 1, blockedMs: 1 },
  );
  expect(message).toBe('KSeF refused the call (21405). Zła faktura');
});

test('a refusal tells whether it is about a login, whose 4xx says nothing about a list of invoices', () => {
  const refused = { status: 400, json: undefined, retryAfterMs: undefined };
  const isUndecided = (operation: Operation) => classifyAnswer({ operation, ...refused }, waits).decidesNothing;
  expect([isUndecided('A2'), isUndecided('S4'), isUndecided('S10')]).toEqual([false, true, true]);
});
