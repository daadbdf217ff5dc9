import { Link, useSearchParams } from 'wouter';
import { DataTable } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Page } from '../../controls/page.js';
import { SearchField } from '../../controls/search-field.js';
import { formatDay } from '../../format/moment.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { useSuppliers } from './queries.js';
import type { Supplier } from './queries.js';
import { SupplierTag } from './supplier-tag.js';
import { texts } from './texts.js';

export default function SuppliersPage() {
  return (
    <Page title={texts.title} right={rights.readInvoices} intro={texts.intro}>
      <SupplierList />
    </Page>
  );
}

function SupplierList() {
  const [search, setSearch] = useSearchParams();
  const asked = search.get('q') ?? '';
  const find = (q: string): void => setSearch(q === '' ? {} : { q }, { replace: true });
  return (
    <>
      <SearchField label={texts.search} value={asked} onSearch={find} />
      {may(useCaller(), rights.readPayments) && (
        <p>
          <a href="/v1/account-changes?format=html" target="_blank" rel="noopener noreferrer">
            {texts.report}
          </a>
        </p>
      )}
      <DataTable
        title={texts.title}
        hidesTitle
        list={useSuppliers(asked)}
        empty={texts.empty}
        columns={columns}
        keyOf={({ id }) => id}
      />
    </>
  );
}

const columns: readonly Column<Supplier>[] = [
  [
    texts.name,
    ({ id, name }) => (
      <Link to={`/suppliers/${id}`}>
        <ForeignText>{name}</ForeignText>
      </Link>
    ),
  ],
  [texts.taxIds, ({ taxIds }) => (taxIds.length === 0 ? '–' : <ForeignText>{taxIds.join(', ')}</ForeignText>)],
  [texts.status, ({ status }) => <SupplierTag status={status} />],
  [texts.invoices, ({ invoiceCount }) => invoiceCount],
  [texts.last, ({ lastInvoiceDate }) => (lastInvoiceDate === null ? '–' : formatDay(lastInvoiceDate))],
  [texts.open, ({ openFindings }) => openFindings],
];
