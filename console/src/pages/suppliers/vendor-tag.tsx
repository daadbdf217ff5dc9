import { Tag } from '../../controls/tag.js';
import type { Vendor } from './queries.js';
import { texts } from './texts.js';

const tones = { ACTIVE: 'good', BLOCKED: 'bad', ARCHIVED: 'quiet' } as const;

export function VendorTag({ vendor: { status, deletedAt } }: { readonly vendor: Vendor }) {
  if (deletedAt !== null) return <Tag tone="quiet">{texts.vendors.deleted}</Tag>;
  return <Tag tone={tones[status]}>{texts.vendors.statuses[status]}</Tag>;
}
