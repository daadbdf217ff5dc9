// Creates the bookkeeping data of a fictional company in the format of each ERP. The same numbers always give the same
// data.
import {
  dateOf,
  decimal,
  firstWords,
  germanIban,
  germanTaxId,
  lastTwoYears,
  randomOf,
  secondWords,
} from './invoices.js';

/** ERP rows by the entity name that a simulator's control routes use, in the order in which they are added. */
export type Books = readonly (readonly [entity: string, rowAt: (index: number) => object, count: number])[];

export interface BooksSize {
  readonly vendors: number;
  readonly bills: number;
}

export const erpNames = ['businessCentral', 'odoo', 'quickBooks', 'xero'] as const;
export type ErpName = (typeof erpNames)[number];

const DAY_MS = 86_400_000;
const DAYS = 600;
const PAID_SHARE = 0.85;
/** Share of the generated ERP bills that two users entered. */
const TWICE_SHARE = 0.001;
const townEndings = 'burg dorf heim stadt hausen'.split(' ');
const townBeginnings = (
  'Alten Blanken Cron Dieters Ebers Frei Gold Hirsch Ingel Jever Klein Lauen Mann Neu Ober Pader Qued Rosen Schwein ' +
  'Tauber Unter Vogel Witten Xant Zwei'
).split(' ');
/**
 * All generated ERP records were last changed three days ago, so a synchronisation in the next hour finds nothing new.
 */
const changedAt = new Date(Date.now() - 3 * DAY_MS);

interface Vendor {
  readonly name: string;
  readonly taxId: string;
  readonly iban: string;
  readonly town: string;
}

function vendorAt(index: number): Vendor {
  const first = firstWords[index % firstWords.length] ?? '';
  const second = secondWords[Math.floor(index / firstWords.length) % secondWords.length] ?? '';
  const townNumber = Math.floor(index / (firstWords.length * secondWords.length));
  const beginning = townBeginnings[Math.floor(townNumber / townEndings.length) % townBeginnings.length] ?? '';
  const town = `${beginning}${townEndings[townNumber % townEndings.length] ?? ''}`;
  return {
    name: `${first} ${second} ${town} GmbH`,
    taxId: germanTaxId(10_000_000 + index * 1_571),
    iban: germanIban(37_040_044, 532_013_000 + index * 104_729),
    town,
  };
}

interface Bill {
  readonly vendor: number;
  readonly number: string;
  readonly issueDate: string;
  readonly dueDate: string;
  readonly net: number;
  readonly tax: number;
  readonly gross: number;
  readonly isPaid: boolean;
}

function billAt(index: number, vendors: number): Bill {
  const random = randomOf(index);
  if (random() < TWICE_SHARE && index > 0) return billAt(index - 1, vendors);
  // The square of a random number assigns many bills to the largest vendor and almost none to the smallest.
  const vendor = Math.floor(vendors * random() ** 2);
  const netCents = 5_000 + Math.floor(random() ** 3 * 2_000_000);
  const taxCents = Math.round(netCents * 0.19);
  const issueDay = Math.floor(Date.parse(lastTwoYears.to) / DAY_MS) - Math.floor(random() * DAYS);
  return {
    vendor,
    number: `RE-${dateOf(issueDay).slice(0, 4)}-${String(index).padStart(7, '0')}`,
    issueDate: dateOf(issueDay),
    dueDate: dateOf(issueDay + 30),
    net: Number(decimal(netCents)),
    tax: Number(decimal(taxCents)),
    gross: Number(decimal(netCents + taxCents)),
    isPaid: random() < PAID_SHARE,
  };
}

const guid = (kind: number, index: number): string =>
  `00000000-0000-${kind}000-8000-${String(index + 1).padStart(12, '0')}`;

/**
 * Returns the records of the benchmark in the form of the given ERP.
 * @param changed time of the last change of every record
 */
export function booksOf(erp: ErpName, { vendors, bills }: BooksSize, changed = changedAt): Books {
  const instant = changed.toISOString();
  const bill = (index: number): Bill => billAt(index, vendors);
  switch (erp) {
    case 'businessCentral':
      return [
        [
          'vendors',
          (index) => {
            const { name, taxId, town } = vendorAt(index);
            return {
              id: guid(1, index),
              number: `V${index}`,
              displayName: name,
              taxRegistrationNumber: taxId,
              city: town,
              country: 'DE',
              blocked: '_x0020_',
              lastModifiedDateTime: instant,
            };
          },
          vendors,
        ],
        [
          'purchaseInvoices',
          (index) => {
            const { vendor, number, issueDate, dueDate, net, tax, gross, isPaid } = bill(index);
            return {
              id: guid(2, index),
              number: `1${String(index).padStart(7, '0')}`,
              vendorInvoiceNumber: number,
              invoiceDate: issueDate,
              postingDate: issueDate,
              dueDate,
              vendorId: guid(1, vendor),
              vendorNumber: `V${vendor}`,
              vendorName: vendorAt(vendor).name,
              currencyCode: 'EUR',
              totalAmountExcludingTax: net,
              totalTaxAmount: tax,
              totalAmountIncludingTax: gross,
              status: isPaid ? 'Paid' : 'Open',
              lastModifiedDateTime: instant,
            };
          },
          bills,
        ],
      ];
    case 'odoo': {
      const write_date = instant.slice(0, 19).replace('T', ' ');
      return [
        [
          'res.partner',
          (index) => {
            const { name, taxId, town } = vendorAt(index);
            return {
              id: index + 1,
              name,
              vat: taxId,
              city: town,
              supplier_rank: 1,
              country_id: [57, 'Germany'],
              active: true,
              write_date,
            };
          },
          vendors,
        ],
        [
          'res.partner.bank',
          (index) => ({
            id: index + 1,
            acc_number: vendorAt(index).iban,
            partner_id: index + 1,
            allow_out_payment: true,
            write_date,
          }),
          vendors,
        ],
        [
          'account.move',
          (index) => {
            const { vendor, number, issueDate, dueDate, net, tax, gross, isPaid } = bill(index);
            const partner = [vendor + 1, vendorAt(vendor).name];
            return {
              id: index + 1,
              name: `BILL/${String(index).padStart(7, '0')}`,
              ref: number,
              move_type: 'in_invoice',
              state: 'posted',
              payment_state: isPaid ? 'paid' : 'not_paid',
              partner_id: partner,
              commercial_partner_id: partner,
              invoice_date: issueDate,
              invoice_date_due: dueDate,
              date: issueDate,
              currency_id: [126, 'EUR'],
              company_id: [1, 'My Company'],
              amount_untaxed: net,
              amount_tax: tax,
              amount_total: gross,
              amount_residual: isPaid ? 0 : gross,
              write_date,
            };
          },
          bills,
        ],
      ];
    }
    case 'quickBooks': {
      const MetaData = { CreateTime: instant, LastUpdatedTime: instant };
      return [
        [
          'Vendor',
          (index) => {
            const { name, taxId, iban, town } = vendorAt(index);
            return {
              Id: String(index + 1),
              DisplayName: name,
              Active: true,
              TaxIdentifier: taxId,
              BillAddr: { Line1: 'Hauptstr. 1', City: town, Country: 'DE' },
              VendorPaymentBankDetail: { BankAccountName: name, BankAccountNumber: iban },
              MetaData,
            };
          },
          vendors,
        ],
        [
          'Bill',
          (index) => {
            const { vendor, number, issueDate, dueDate, net, tax, gross, isPaid } = bill(index);
            return {
              Id: String(1_000_000 + index),
              DocNumber: number,
              TxnDate: issueDate,
              DueDate: dueDate,
              VendorRef: { value: String(vendor + 1), name: vendorAt(vendor).name },
              CurrencyRef: { value: 'EUR' },
              TxnTaxDetail: { TotalTax: tax },
              TotalAmt: gross,
              Balance: isPaid ? 0 : gross,
              Line: [{ Id: '1', Amount: net, DetailType: 'AccountBasedExpenseLineDetail' }],
              MetaData,
            };
          },
          bills,
        ],
      ];
    }
    case 'xero': {
      const UpdatedDateUTC = `/Date(${changed.getTime()}+0000)/`;
      return [
        [
          'Contacts',
          (index) => {
            const { name, taxId, iban, town } = vendorAt(index);
            return {
              ContactID: guid(1, index),
              Name: name,
              TaxNumber: taxId,
              BankAccountDetails: iban,
              Addresses: [{ AddressType: 'STREET', AddressLine1: 'Hauptstr. 1', City: town, Country: 'Germany' }],
              IsSupplier: true,
              UpdatedDateUTC,
            };
          },
          vendors,
        ],
        [
          'Invoices',
          (index) => {
            const { vendor, number, issueDate, dueDate, net, tax, gross, isPaid } = bill(index);
            return {
              InvoiceID: guid(2, index),
              Type: 'ACCPAY',
              InvoiceNumber: number,
              Contact: { ContactID: guid(1, vendor), Name: vendorAt(vendor).name },
              DateString: `${issueDate}T00:00:00`,
              DueDateString: `${dueDate}T00:00:00`,
              Status: isPaid ? 'PAID' : 'AUTHORISED',
              SubTotal: net,
              TotalTax: tax,
              Total: gross,
              AmountDue: isPaid ? 0 : gross,
              AmountPaid: isPaid ? gross : 0,
              CurrencyCode: 'EUR',
              UpdatedDateUTC,
            };
          },
          bills,
        ],
      ];
    }
  }
}
