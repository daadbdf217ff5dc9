import { Link, useSearchParams } from 'wouter';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { SearchField } from '../../controls/search-field.js';
import { formatMoment } from '../../format/moment.js';
import { rights } from '../../rights.js';
import { useVendors } from './queries.js';
import type { Vendor } from './queries.js';
import { texts as all } from './texts.js';
import { VendorTag } from './vendor-tag.js';

const texts = all.vendors;

export default function VendorsPage() {
  return (
    <Page title={texts.title} right={rights.readVendors} intro={texts.intro}>
      <VendorList />
    </Page>
  );
}

function VendorList() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('name') ?? '';
  const find = (name: string): void => setSearch(name === '' ? {} : { name }, { replace: true });
  return (
    <>
      <SearchField label={texts.search} value={asked} onSearch={find} />
      <DataTable
        title={texts.title}
        hidesTitle
        list={useVendors(asked)}
        empty={texts.empty}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </>
  );
}

const columns: readonly Column<Vendor>[] = [
  [
    all.name,
    ({ id, name }) => (
      <Link to={`/vendors/${id}`}>
        <ForeignText>{name}</ForeignText>
      </Link>
    ),
  ],
  [texts.number, ({ number }) => (number === null ? '–' : <ForeignText>{number}</ForeignText>)],
  [all.taxIds, ({ taxId }) => (taxId === null ? '–' : <ForeignText>{taxId}</ForeignText>)],
  [texts.accounts, ({ accounts }) => (accounts.length === 0 ? '–' : accounts.join(', '))],
  [all.status, (vendor) => <VendorTag vendor={vendor} />],
  [texts.modified, ({ modifiedAt }) => (modifiedAt === null ? '–' : formatMoment(modifiedAt))],
];
