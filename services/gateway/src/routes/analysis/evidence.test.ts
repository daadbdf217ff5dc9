import { readFileSync } from 'node:fs';
import { catalogue } from '@invoicecontrol/engine/explanation/catalogue';
import { describe, expect, test } from 'vitest';
import { published, validatorOf } from '../../testing/published.js';

interface Recorded {
  readonly analysis: { readonly findings: readonly { readonly type: string; readonly evidence: object }[] };
}

const recorded = new URL('../../../../../packages/engine/src/testing/golden-analysis.json', import.meta.url);
const { findings } = (JSON.parse(readFileSync(recorded, 'utf8')) as Recorded).analysis;
const fitsAny = validatorOf({ $ref: '#/components/schemas/Evidence' });
const fitsTyped = validatorOf({ $ref: '#/components/schemas/TypedFinding' });

describe('the published evidence', () => {
  test('has a schema for every finding type', () => {
    const { oneOf = [] } = published.components.schemas['TypedFinding'] ?? {};
    const types = oneOf.map(({ $ref = '' }) => published.components.schemas[$ref.split('/').at(-1) ?? '']);
    expect(types.map((schema) => schema?.properties?.['type']?.enum?.[0])).toEqual(Object.keys(catalogue));
  });

  test.each(findings.map(({ type, evidence }) => [type, evidence] as const))('describes a %s', (type, evidence) => {
    expect({ faults: fitsAny(evidence) ? [] : fitsAny.errors }).toEqual({ faults: [] });
    expect({ faults: fitsTyped({ type, evidence }) ? [] : fitsTyped.errors }).toEqual({ faults: [] });
  });

  test('leaves members to later engines, and refuses a known member of another type', () => {
    const [first] = findings;
    const evidence = { ...first?.evidence, addedLater: { any: ['value'] } };
    expect(fitsAny(evidence)).toBe(true);
    expect(fitsTyped({ type: first?.type, evidence })).toBe(true);
    expect(fitsAny({ ...evidence, explanation: 'text' })).toBe(false);
  });
});
