/** NIP of the seller in FA(3) documents that do not name another. */
export const SELLER = '5265877635';
export const BUYER = '1111111111';

/** Values in which the generated FA(3) documents differ. Each string is written into the XML unchanged. */
export interface Fa3Invoice {
  readonly number: string;
  readonly seller?: string;
  readonly sellerName?: string;
  /** NIP of the buyer in a generated FA(3) document, or null for a buyer without any tax number. */
  readonly buyer?: string | null;
  readonly buyerName?: string;
  /** NIPs of further recipients in a generated FA(3) document (Podmiot3 with role 2). */
  readonly recipients?: readonly string[];
  /** NIP of an authorized entity (PodmiotUpowazniony with role 3, a tax representative). */
  readonly authorized?: string | undefined;
  readonly kind?: string;
  readonly issueDate?: string;
  readonly item?: string;
  /** Amounts of the generated FA(3) invoice in PLN with two decimals. */
  readonly amounts?: { readonly net: string; readonly vat: string; readonly gross: string };
  /**
   * True if the generated FA(3) document states that the invoice was paid by card on its issue date. Otherwise the
   * document does not mention payment.
   */
  readonly isPaid?: boolean;
  /** Bank account and due date that the generated FA(3) document states for a transfer. */
  readonly transfer?: { readonly account: string; readonly dueDate: string };
}

/** Writes a valid FA(3) document for tests and demonstrations. */
export function fa3Document({
  number,
  seller = SELLER,
  sellerName = 'Huta Szkła Jedlina',
  buyer = BUYER,
  buyerName = 'Jan Kowalski',
  recipients = [],
  authorized,
  kind = 'VAT',
  issueDate = '2026-02-15',
  item = 'Butelka',
  amounts: { net, vat, gross } = { net: '1666.66', vat: '383.33', gross: '2049.99' },
  isPaid = false,
  transfer,
}: Fa3Invoice): string {
  const paid = `<Zaplacono>1</Zaplacono><DataZaplaty>${issueDate}</DataZaplaty><FormaPlatnosci>2</FormaPlatnosci>`;
  const payment = isPaid ? paid : transfer === undefined ? undefined : transferTo(transfer);
  return `<?xml version="1.0" encoding="UTF-8"?>
<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/">
  <Naglowek>
    <KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza>
    <WariantFormularza>3</WariantFormularza>
    <DataWytworzeniaFa>${issueDate}T08:00:00Z</DataWytworzeniaFa>
  </Naglowek>
  <Podmiot1>
    <DaneIdentyfikacyjne><NIP>${seller}</NIP><Nazwa>${sellerName}</Nazwa></DaneIdentyfikacyjne>
    <Adres><KodKraju>PL</KodKraju><AdresL1>ul. Kwiatowa 1, 30-001 Kraków</AdresL1></Adres>
  </Podmiot1>
  <Podmiot2>
    <DaneIdentyfikacyjne>${buyer === null ? '<BrakID>1</BrakID>' : `<NIP>${buyer}</NIP>`}<Nazwa>${buyerName}</Nazwa></DaneIdentyfikacyjne>
    <JST>2</JST>
    <GV>2</GV>
  </Podmiot2>${recipients.map(recipientOf).join('')}${authorized === undefined ? '' : authorizedOf(authorized)}
  <Fa>
    <KodWaluty>PLN</KodWaluty>
    <P_1>${issueDate}</P_1>
    <P_2>${number}</P_2>
    <P_13_1>${net}</P_13_1>
    <P_14_1>${vat}</P_14_1>
    <P_15>${gross}</P_15>
    <Adnotacje>
      <P_16>2</P_16>
      <P_17>2</P_17>
      <P_18>2</P_18>
      <P_18A>2</P_18A>
      <Zwolnienie><P_19N>1</P_19N></Zwolnienie>
      <NoweSrodkiTransportu><P_22N>1</P_22N></NoweSrodkiTransportu>
      <P_23>2</P_23>
      <PMarzy><P_PMarzyN>1</P_PMarzyN></PMarzy>
    </Adnotacje>
    <RodzajFaktury>${kind}</RodzajFaktury>
    <FaWiersz><NrWierszaFa>1</NrWierszaFa><P_7>${item}</P_7><P_8A>szt.</P_8A><P_8B>1</P_8B><P_9A>${net}</P_9A><P_11>${net}</P_11><P_12>23</P_12></FaWiersz>${
      payment === undefined
        ? ''
        : `
    <Platnosc>${payment}</Platnosc>`
    }
  </Fa>
</Faktura>
`;
}

function recipientOf(nip: string): string {
  return `
  <Podmiot3>
    <DaneIdentyfikacyjne><NIP>${nip}</NIP><Nazwa>Oddział ${nip}</Nazwa></DaneIdentyfikacyjne>
    <Rola>2</Rola>
  </Podmiot3>`;
}

function authorizedOf(nip: string): string {
  return `
  <PodmiotUpowazniony>
    <DaneIdentyfikacyjne><NIP>${nip}</NIP><Nazwa>Przedstawiciel ${nip}</Nazwa></DaneIdentyfikacyjne>
    <Adres><KodKraju>PL</KodKraju><AdresL1>ul. Polna 2, 00-001 Warszawa</AdresL1></Adres>
    <RolaPU>3</RolaPU>
  </PodmiotUpowazniony>`;
}

function transferTo({ account, dueDate }: { readonly account: string; readonly dueDate: string }): string {
  const due = `<TerminPlatnosci><Termin>${dueDate}</Termin></TerminPlatnosci><FormaPlatnosci>6</FormaPlatnosci>`;
  return `${due}<RachunekBankowy><NrRB>${account}</NrRB></RachunekBankowy>`;
}
