import { Link } from 'wouter';
import { Facts } from '../../controls/facts.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loaded } from '../../controls/loaded.js';
import { Page } from '../../controls/page.js';
import { formatMoment } from '../../format/moment.js';
import { rights } from '../../rights.js';
import { useVendor } from './queries.js';
import type { VendorOverview } from './queries.js';
import { texts as all } from './texts.js';
import { VendorTag } from './vendor-tag.js';

const texts = all.vendors;

export default function VendorPage({ vendorId }: { readonly vendorId: string }) {
  return (
    <Page title={texts.title} right={rights.readVendors} back={{ to: '/vendors', text: texts.back }}>
      <LoadedVendor vendorId={vendorId} />
    </Page>
  );
}

function LoadedVendor({ vendorId }: { readonly vendorId: string }) {
  return <Loaded query={useVendor(vendorId)}>{(vendor) => <Vendor vendor={vendor} />}</Loaded>;
}

function foreign(text: string | null) {
  return text === null || text === '' ? undefined : <ForeignText>{text}</ForeignText>;
}

function Vendor({ vendor }: { readonly vendor: VendorOverview }) {
  const { line1, line2, postalCode, city, region, country } = vendor.address ?? {};
  const address = [line1, line2, postalCode, city, region, country]
    .filter((line) => typeof line === 'string')
    .join(', ');
  return (
    <>
      <h2>
        <ForeignText>{vendor.name}</ForeignText>
      </h2>
      <Facts
        facts={{
          [texts.number]: foreign(vendor.number),
          [all.taxIds]: foreign(vendor.taxId),
          [texts.registration]: foreign(vendor.registrationNumber),
          [texts.address]: foreign(address),
          [texts.email]: foreign(vendor.email),
          [texts.phone]: foreign(vendor.phone),
          [texts.currency]: vendor.currency,
          [all.status]: <VendorTag vendor={vendor} />,
          [texts.accounts]: vendor.accounts.length === 0 ? undefined : vendor.accounts.join(', '),
          [texts.master]: vendor.isMaster ? texts.yes : texts.no,
          [texts.modified]: vendor.modifiedAt === null ? undefined : formatMoment(vendor.modifiedAt),
        }}
      />
      {vendor.url !== null && vendor.url.startsWith('https://') && (
        <p>
          <a href={vendor.url} target="_blank" rel="noopener noreferrer">
            {texts.link}
          </a>
        </p>
      )}
      <Links
        title={texts.findings}
        empty={texts.noFindings}
        to="/findings"
        ids={vendor.openFindingIds}
        name={texts.finding}
      />
      <Links title={texts.bills} empty={texts.noBills} to="/invoices" ids={vendor.invoiceIds} name={texts.bill} />
    </>
  );
}

function Links({
  title,
  empty,
  to,
  ids,
  name,
}: {
  readonly title: string;
  readonly empty: string;
  readonly to: string;
  readonly ids: readonly string[];
  readonly name: (number: number) => string;
}) {
  return (
    <section>
      <h2>{title}</h2>
      {ids.length === 0 && <p>{empty}</p>}
      <ul>
        {ids.map((id, index) => (
          <li key={id}>
            <Link to={`${to}/${id}`}>{name(index + 1)}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
