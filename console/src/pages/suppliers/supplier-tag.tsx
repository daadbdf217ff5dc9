import { Tag } from '../../controls/tag.js';
import type { Supplier } from './queries.js';
import { texts } from './texts.js';

const tones = { NEW: 'open', KNOWN: 'good', BLOCKED: 'bad' } as const;

export function SupplierTag({ status }: Pick<Supplier, 'status'>) {
  return <Tag tone={tones[status]}>{texts.statuses[status]}</Tag>;
}
