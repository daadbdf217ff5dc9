import { useAddressFilters } from '../../address-filters.js';
import { Choice } from '../../controls/choice.js';
import controls from '../../controls/controls.module.css';
import { Page } from '../../controls/page.js';
import { SearchField } from '../../controls/search-field.js';
import { reviewTexts } from '../../findings/texts.js';
import { rights } from '../../rights.js';
import { InvoiceTable } from './invoice-table.js';
import { decisions } from './queries.js';

const texts = reviewTexts.invoices;
/** Value of the filter by decision in the address that shows every invoice. */
const ANY = 'any';

export default function InvoicesPage() {
  return (
    <Page title={texts.title} right={rights.readInvoices}>
      <InvoiceList />
    </Page>
  );
}

/** The list of invoices. Its filters are in the address, so that the same list can be opened again. */
function InvoiceList() {
  const [read, change] = useAddressFilters();
  const decision = decisions.find((one) => one === read('decision'));
  const q = read('q');
  return (
    <>
      <div className={controls['toolbar']}>
        <SearchField label={reviewTexts.search} value={q} onSearch={(text) => change('q', text)} />
        <Choice
          label={texts.decision}
          value={decision ?? ANY}
          onChange={(chosen) => change('decision', chosen)}
          options={[
            [ANY, texts.anyDecision],
            ...decisions.map((one) => [one, reviewTexts.invoice.decisions[one]] as const),
          ]}
        />
      </div>
      <InvoiceTable
        hidesTitle
        filters={{ ...(decision === undefined ? {} : { decision }), ...(q === '' ? {} : { q }) }}
      />
    </>
  );
}
