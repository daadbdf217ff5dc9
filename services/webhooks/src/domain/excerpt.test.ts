import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { maskProofs } from './excerpt.js';

const hex = (of: string): string => createHash('sha256').update(of).digest('hex');
const SIGNATURES = [hex('new'), hex('previous')] as const;
const SECRETS = [`whsec_${'aB3'.repeat(14)}x`, `whsec_${'Zy9'.repeat(14)}x`] as const;
const PROOFS = [...SIGNATURES, ...SECRETS];
const ECHO = `{"svc-signature":"t=1700000000,v1=${SIGNATURES[0]},v1=${SIGNATURES[1]}","secret":"${SECRETS[0]}"}`;

describe('an excerpt of an answer', () => {
  test('has neither the signatures nor the secrets that the receiver sent back', () => {
    expect(maskProofs(ECHO, PROOFS)).toBe('{"svc-signature":"t=1700000000,v1=***,v1=***","secret":"***"}');
    expect(maskProofs(SIGNATURES[0].toUpperCase(), PROOFS)).toBe('***');
    // The masked text contains a signature of an earlier attempt.
    expect(maskProofs(hex('earlier'), PROOFS)).toBe('***');
  });

  test('shows less than four characters of each, wherever it ends', () => {
    for (let length = 0; length <= ECHO.length; length++) {
      for (const cut of [ECHO.slice(0, length), ECHO.slice(0, length).toUpperCase()]) {
        const masked = maskProofs(cut, PROOFS);
        expect(masked.length).toBeLessThanOrEqual(cut.length);
        for (const proof of PROOFS) {
          // The masked text contains the part of the secret after its prefix. The prefix itself is not secret.
          const start = proof.replace('whsec_', '').slice(0, 4).toLowerCase();
          expect(masked.toLowerCase()).not.toContain(start);
        }
      }
    }
  });

  test('is otherwise as it came', () => {
    for (const text of ['', 'ok', `order ${hex('order').slice(0, 63)}g`, `received ${SIGNATURES[0].slice(4)}`]) {
      expect(maskProofs(text, PROOFS)).toBe(text);
    }
    expect(maskProofs('no proofs', [])).toBe('no proofs');
  });
});
