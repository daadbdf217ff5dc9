/** The NIP of the seller in the document below. */
export const SELLER = '5265877635';
const BUYER = '1111111111';

/** A valid FA(3) document. */
export function fa3Document({ number }: { readonly number: string }): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/">
  <Naglowek>
    <KodFormularza kodSystemowy="FA (3)" wersjaSchemy="1-0E">FA</KodFormularza>
    <WariantFormularza>3</WariantFormularza>
    <DataWytworzeniaFa>2026-02-01T00:00:00Z</DataWytworzeniaFa>
  </Naglowek>
  <Podmiot1>
    <DaneIdentyfikacyjne><NIP>${SELLER}</NIP><Nazwa>Huta Szkła Jedlina</Nazwa></DaneIdentyfikacyjne>
    <Adres><KodKraju>PL</KodKraju><AdresL1>ul. Kwiatowa 1</AdresL1></Adres>
  </Podmiot1>
  <Podmiot2>
    <DaneIdentyfikacyjne><NIP>${BUYER}</NIP><Nazwa>Jan Kowalski</Nazwa></DaneIdentyfikacyjne>
    <JST>2</JST>
    <GV>2</GV>
  </Podmiot2>
  <Fa>
    <KodWaluty>PLN</KodWaluty>
    <P_1>2026-02-15</P_1>
    <P_2>${number}</P_2>
    <P_13_1>1666.66</P_13_1>
    <P_14_1>383.33</P_14_1>
    <P_15>2049.99</P_15>
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
    <RodzajFaktury>VAT</RodzajFaktury>
    <FaWiersz><NrWierszaFa>1</NrWierszaFa><P_7>Butelka</P_7><P_8A>szt.</P_8A><P_8B>1</P_8B><P_9A>1666.66</P_9A><P_11>1666.66</P_11><P_12>23</P_12></FaWiersz>
  </Fa>
</Faktura>
`;
}
