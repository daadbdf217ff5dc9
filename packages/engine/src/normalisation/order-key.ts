import { plainText } from './text.js';

const LABELS: ReadonlySet<string> = new Set('PO ORDER NO NR NUMBER'.split(' '));
const ORDER_KEY_LENGTH_MAX = 64;

/**
 * Returns the comparable form of a purchase order reference: its letters and digits without a leading label such as `PO
 * no.` Undefined if it has no digit, because `N/A` and `by phone` name no order.
 */
export function readOrderRef(ref: string): string | undefined {
  const parts = plainText(ref)
    .split(/[^A-Z0-9]+/)
    .filter((part) => part !== '');
  while (parts.length > 1 && LABELS.has(parts[0] ?? '')) parts.shift();
  const key = parts
    .join('')
    .replace(/^PO(?=[0-9])/, '')
    .slice(0, ORDER_KEY_LENGTH_MAX);
  return /[0-9]/.test(key) ? key : undefined;
}
