import type { PrintedInvoice } from './printed-invoice.js';
import { printedInvoiceOf } from './printed-invoice.js';

/** An invoice of one page for tests and benchmarks that need a PDF and do not measure how well it is read. */
export function sampleInvoice(index = 0): PrintedInvoice {
  return printedInvoiceOf((index % 2 === 0 ? english : german)(index));
}

/** Net amount of the sample invoice in cents, chosen so that a fifth of it is a whole number of cents. */
function netCents(index: number): number {
  return 10_000 + 100 * ((index * 7_919) % 90_000);
}

function english(index: number): string {
  const net = netCents(index);
  const tax = net / 5;
  const number = `AT-2024-${String(index + 117)}`;
  const account = `~IBAN:GB?? NWBK 6016 13${digits(index, 2)} ${digits(index * 31, 4)} 19~`;
  return `sample ${index}
number: ${number}
date: 2024-03-14
due: 2024-04-13
net: ${plain(net)}
tax: ${plain(tax)}
gross: ${plain(net + tax)}
currency: GBP
iban: ${account}
supplier: Ashdown Tools Ltd
tax_id: ~GB:GB 220 4302 ??~
---
@font liberation
*#16 Ashdown Tools Ltd
12 Mill Lane, Bristol BS1 4ST
VAT Reg No: ~GB:GB 220 4302 ??~
@y 700
*#14 INVOICE
Invoice No: | 200: ${number}
Invoice date: | 200: 14 March 2024
Due date: | 200: 13 April 2024
@y 600
*Description | 545> *Amount
@line
Hand tools and delivery | 545> £${grouped(net, ',', '.')}
@line
430> Net total | 545> £${grouped(net, ',', '.')}
430> VAT 20% | 545> £${grouped(tax, ',', '.')}
430> *Total | 545> *£${grouped(net + tax, ',', '.')}
@y 420
IBAN ${account}
`;
}

function german(index: number): string {
  const net = netCents(index);
  const tax = (net * 19) / 100;
  const number = `RE-2024-${String(index + 117)}`;
  const account = `~IBAN:DE?? 3704 0044 ${digits(index * 31, 4)} ${digits(index, 4)} 00~`;
  return `sample ${index}
number: ${number}
date: 2024-03-14
due: 2024-04-13
net: ${plain(net)}
tax: ${plain(tax)}
gross: ${plain(net + tax)}
currency: EUR
iban: ${account}
supplier: Eschenbach Werkzeuge GmbH
tax_id: ~DE:DE15532871?~
---
@font liberation
*#16 Eschenbach Werkzeuge GmbH
Lindenweg 12, 50667 Köln
USt-IdNr. ~DE:DE15532871?~
@y 700
*#14 RECHNUNG
Rechnungsnummer: | 200: ${number}
Rechnungsdatum: | 200: 14.03.2024
Zahlbar bis: | 200: 13.04.2024
@y 600
*Bezeichnung | 545> *Betrag
@line
Werkzeug und Lieferung | 545> ${grouped(net, '.', ',')} €
@line
430> Nettobetrag | 545> ${grouped(net, '.', ',')} €
430> USt 19 % | 545> ${grouped(tax, '.', ',')} €
430> *Gesamtbetrag | 545> *${grouped(net + tax, '.', ',')} €
@y 420
IBAN ${account}
`;
}

function digits(value: number, count: number): string {
  return String(value % 10 ** count).padStart(count, '0');
}

function plain(cents: number): string {
  return (cents / 100).toFixed(2);
}

function grouped(cents: number, group: string, decimal: string): string {
  const [whole = '', fraction = ''] = plain(cents).split('.');
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, group)}${decimal}${fraction}`;
}
