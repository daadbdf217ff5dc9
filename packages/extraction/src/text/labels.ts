import { foldKey, foldText } from './normalise.js';

/**
 * Kind of invoice value that a label announces. The labels of `otherDate`, `otherNumber` and `otherAmount` prevent
 * values from being assigned to the wrong field.
 */
export type LabelKind =
  | 'number'
  | 'issueDate'
  | 'dueDate'
  | 'gross'
  | 'net'
  | 'tax'
  | 'payable'
  | 'supplier'
  | 'buyer'
  | 'payee'
  | 'partyName'
  | 'orderRef'
  | 'currency'
  | 'iban'
  | 'taxId'
  | 'localTaxId'
  | 'otherDate'
  | 'otherNumber'
  | 'otherAmount'
  | 'creditNote';

interface LabelWords {
  readonly specific: string;
  readonly generic?: string;
}

/**
 * Labels by which invoice values are found, for each kind of value. The languages have this order: EN, DE, FR, PL, ES,
 * IT, NL (documents reference, 10.4), then CS, DA and NO together, SV, FI, HU, RO, PT, EL.
 */
const LABELS: Readonly<Record<LabelKind, readonly LabelWords[]>> = {
  number: [
    {
      specific:
        'invoice number; invoice no; invoice nr; invoice num; invoice #; invoice id; invoice reference; invoice ref; tax invoice no; tax invoice number; tax invoice; bill no; bill number; document no; document number; doc no; receipt no; receipt number; receipt #; credit note no; credit note number; credit memo no; credit memo number; credit note #; inv no; inv #; inv number; our invoice; sales invoice no; vat invoice no; number of invoice; bill ref; bill reference; billing document no; billing no; voucher no; docket no; document ref; e-invoice no; e-invoice number; inv ref; invoice n°; invoice serial no; fee note no; statement no; invoice no/ref; invoice number/reference',
      generic:
        'invoice; credit note; credit memo; receipt; bill; no; number; #; sales invoice; vat invoice; commercial invoice; fee note; statement; document; ref no; tax receipt',
    },
    {
      specific:
        'rechnungsnummer; rechnungs-nr; rechnungsnr; rechnung nr; rechnung nummer; rechnung no; re-nr; rg-nr; rechn-nr; rech-nr; belegnummer; beleg-nr; dokumentnummer; dokument-nr; gutschriftsnummer; gutschriftnummer; gutschrifts-nr; gutschrift nr; faktura-nr; fakturanummer; fakturennummer; rechnungskennzeichen; rechnung #; vorgangsnummer; stornorechnung nr; rechnungskorrektur nr; korrekturrechnung nr; honorarnote nr; kostennote nr; liquidation nr; bon-nr; bonnr; kassenbon-nr; quittungsnr; quittung nr; abrechnungsnummer; abrechnungsnr; abrechnung nr; sammelrechnung nr; teilrechnung nr; abschlagsrechnung nr; schlussrechnung nr; rechnungs-id; ausgangsrechnung nr; honorarrechnung nr; beleg nr; r-nr; fakturanr',
      generic:
        'rechnung; gutschrift; faktura nr; nummer; nr; stornorechnung; rechnungskorrektur; schlussrechnung; beleg; bon; honorarnote; kostennote; abrechnung; quittung; sammelrechnung; teilrechnung; ausgangsrechnung; honorarrechnung; jahresrechnung; liquidation',
    },
    {
      specific:
        "numero de facture; numero facture; numero de la facture; facture n°; facture no; facture numero; n° de facture; n° facture; no de facture; no facture; num facture; n° de la facture; ref facture; reference facture; reference de facture; reference de la facture; avoir n°; avoir no; avoir numero; n° d'avoir; numero d'avoir; facture d'avoir n°; n° de piece; numero de piece; n° piece; n° du document; note d'honoraires n°; note d'honoraires no; ticket n°; n° ticket; n° de ticket; recu n°; n° de recu; quittance n°; fact n°; fac n°; facture ref; reference de l'avoir; note de credit n°; facture / n°; n° de note",
      generic: "facture; avoir; n°; numero; reference; note d'honoraires; recu; ticket; quittance; note de credit",
    },
    {
      specific:
        'numer faktury; faktura vat nr; faktura nr; faktura numer; faktura vat numer; nr faktury; nr faktury vat; rachunek nr; numer rachunku; faktura korygujaca nr; faktura korygujaca numer; faktura koncowa nr; faktura zaliczkowa nr; faktura proforma nr; numer dokumentu; nr dokumentu; fv nr; nr fv; numer korekty; numer fv; korekta nr; paragon nr; nr paragonu; faktura marza nr; nota ksiegowa nr; dokument nr; numer rachunku za uslugi; rachunek numer; faktura rozliczeniowa nr; faktura uproszczona nr; numer faktury korygujacej; nr korekty',
      generic: 'faktura; faktura vat; numer; faktura korygujaca; rachunek; paragon fiskalny; nota',
    },
    {
      specific:
        'numero de factura; factura n°; factura no; factura numero; factura num; factura nº; n° factura; nº factura; nº de factura; n° de factura; no de factura; num factura; num de factura; factura #; numero factura; n factura; serie y numero; numero de documento; nº documento; nº de documento; factura rectificativa nº; factura rectificativa n°; nota de credito nº; nº de abono; abono nº; ref factura; serie y folio; serie/folio; folio; serie/numero; serie numero; serie-numero; nº ticket; ticket nº; n° ticket; recibo nº; nº recibo; minuta nº; nº de minuta; factura simplificada nº; nº fra; fra nº; nº de fra; fra n°; numero de recibo; num fra; n° fra; nota de cargo nº; numero de abono; nº abono',
      generic:
        'factura; factura rectificativa; factura simplificada; nº; num; abono; recibo; minuta; ticket; nota de credito',
    },
    {
      specific:
        'numero fattura; numero della fattura; fattura n; fattura n°; fattura nr; fattura numero; fattura no; fattura num; n fattura; n° fattura; nr fattura; numero documento; n documento; n° documento; nr documento; documento n; nota di credito n; nota di credito n°; nota di credito nr; numero nota di credito; fattura di vendita n; num fattura; num documento; fatt n; fattura immediata n; fattura differita n; numero doc; n doc; nr doc; parcella n; parcella n°; parcella nr; ricevuta n; ricevuta nr; ricevuta n°; ricevuta fiscale n; ricevuta fiscale nr; scontrino n; ft n; ft nr; fatt nr; n° fatt; numero progressivo; avviso di parcella n; nota di accredito n; numero parcella; numero ricevuta',
      generic:
        'fattura; nota di credito; numero; fattura di vendita; parcella; ricevuta; ricevuta fiscale; nota; scontrino',
    },
    {
      specific:
        'factuurnummer; factuurnr; factuur nr; factuur no; factuur nummer; factuur #; nummer factuur; creditnotanummer; creditnota nr; creditfactuur nr; creditfactuurnummer; creditnota nummer; documentnummer; document nr; faktuurnummer; faktuur nr; nota nummer; notanummer; declaratienummer; declaratie nr; bonnummer; bon nr; bonnr; kassabon nr; nota nr; factuurreferentie; fact nr; fact.nr; creditnota nr.; nummer creditnota; notanr; verkoopfactuur nr; verkoopfactuurnummer',
      generic: 'factuur; faktuur; creditnota; creditfactuur; nummer; nota; bon; declaratie; kassabon; verkoopfactuur',
    },
    {
      specific:
        'cislo faktury; faktura c; faktura cislo; faktura - danovy doklad c; faktura danovy doklad c; danovy doklad c; danovy doklad cislo; cislo dokladu; evidencni cislo danoveho dokladu; doklad c; cislo danoveho dokladu; faktura vydana c; dobropis c; opravny danovy doklad c; cislo faktury vystavenej; poradove cislo faktury; faktura cislo:',
      generic: 'danovy doklad; doklad; cislo; dobropis',
    },
    {
      specific:
        'fakturanummer; fakturanr; faktura nr; fakturanr.; faktura nummer; regningsnummer; regning nr; regningsnr; kreditnota nr; kreditnotanr; kreditnotanummer; bilagsnummer; bilagsnr; fakturaens nummer',
      generic: 'regning; kreditnota; bilag',
    },
    {
      specific: 'kreditfaktura nr; kreditfakturanummer; fakturanr/ocr; kvittonummer; kvitto nr',
      generic: 'kreditfaktura; kvitto',
    },
    {
      specific:
        'laskun numero; laskunumero; laskun nro; lasku nro; laskunro; lasku numero; laskun no; hyvityslaskun numero; hyvityslasku nro; kuitin numero; laskunnumero',
      generic: 'lasku; hyvityslasku; kuitti',
    },
    {
      specific:
        'szamlaszam:; szamla szama; szamla sorszama; szamla sorszam; szamla szam; bizonylatszam; bizonylat szama; szamlasorszam; sorszam; szamla azonosito',
      generic: 'szamla; bizonylat',
    },
    {
      specific:
        'numar factura; nr factura; factura nr; factura numar; seria si numarul; serie si numar; factura fiscala nr; nr facturii; numarul facturii; factura seria; numar document',
      generic: 'factura fiscala',
    },
    {
      specific:
        'fatura n; fatura nº; fatura no; n fatura; nº fatura; numero da fatura; fatura numero; numero da nota; nota fiscal n; nota fiscal nº; nf-e n; nf-e nº; nfe n; numero da nfs-e; nfs-e n; n da nota; fatura-recibo n; fatura-recibo nº; fatura recibo n; fatura simplificada n; recibo n; nota de credito n; nota de credito nº; documento n; documento nº; numero do documento',
      generic: 'fatura; nota fiscal; fatura-recibo; recibo verde',
    },
    {
      specific:
        'αριθμος τιμολογιου; αρ τιμολογιου; τιμολογιο αρ; τιμολογιο νο; αριθμος παραστατικου; αρ παραστατικου; αριθμος; σειρα αριθμος',
      generic: 'τιμολογιο; αρ; τιμολογιο παροχης υπηρεσιων; τιμολογιο πωλησης',
    },
  ],
  issueDate: [
    {
      specific:
        'invoice date; date of invoice; date of issue; issue date; issued on; issued; invoiced on; bill date; billing date; tax date; tax point; tax point date; date issued; document date; bill issue date; date invoiced; receipt date; date of receipt; credit note date; inv date; date invoice; invoice date and tax point; invoice issue date; doc date; date of document; tax invoice date; inv dt; invoice dt; bill dt; billed on; date of bill; transaction date; date of credit note; date raised; raised on',
      generic: 'dated; date; on; issue',
    },
    {
      specific:
        'rechnungsdatum; belegdatum; ausstellungsdatum; ausgestellt am; datum der rechnung; rechnungs-datum; rechnung vom; gutschriftsdatum; gutschriftdatum; re-datum; rg-datum; rechnungsdat; fakturadatum; dokumentdatum; datum der ausstellung; datum rechnung; rechn-datum; erstellt am; erstellungsdatum; rechnungstag; erstellungstag; datum/date; rechnung datum; fakturierungsdatum; abrechnungsdatum; erstellungsdatum rechnung; quittungsdatum; bondatum; ausgestellt; datum der gutschrift; honorarnotendatum',
      generic: 'datum; vom; den',
    },
    {
      specific:
        "date de facture; date facture; date de la facture; date de facturation; date d'emission; date emission; date d'emission de la facture; emise le; emis le; facture du; facturee le; date de l'avoir; avoir du; date du document; date d'avoir; date de piece; etablie le; fait le; facturation le; date document; facture le; date d'etablissement; en date du; date facturation; date de l'emission; emission le; date du ticket; date de la note",
      generic: 'du; date; le; emission',
    },
    {
      specific:
        'data wystawienia; data wystawienia faktury; wystawiono dnia; wystawiona dnia; wystawiono w dniu; wystawiona w dniu; data faktury; data dokumentu; data i miejsce wystawienia; miejsce i data wystawienia; data wyst; data wystawienia dokumentu; data wystawienia korekty; wystawiono; dnia wystawienia; data wystaw; data paragonu; wystawiono dn; data wystawienia rachunku; data rachunku; data sporzadzenia; dn wystawienia; wystawiony dnia; data wystawienia paragonu',
      generic: 'z dnia; data; dnia; dn',
    },
    {
      specific:
        'fecha de factura; fecha factura; fecha de la factura; fecha de emision; fecha emision; fecha de expedicion; fecha expedicion; fecha de facturacion; fecha facturacion; emitida el; fecha del documento; fecha documento; fecha de abono; expedida el; fecha fra; fecha doc; fecha y hora de emision; fecha de la fra; fecha emision factura; fecha de ticket; f factura; f emision; fecha de emision de la factura; fecha y lugar de expedicion; fecha de recibo; emision',
      generic: 'fecha; de fecha; fecha y hora',
    },
    {
      specific:
        'data fattura; data della fattura; data documento; data del documento; data emissione; data di emissione; data emissione fattura; emessa il; emesso il; data nota di credito; data fatt; data doc; fattura del; data fatturazione; data di fatturazione; del documento; data ft; data ricevuta; data e luogo; data emiss; luogo e data; data parcella; data scontrino; emissione',
      generic: 'del; data; in data; addi; li',
    },
    {
      specific:
        'factuurdatum; factuur datum; datum factuur; datum van factuur; faktuurdatum; creditdatum; creditnotadatum; documentdatum; uitgiftedatum; datum van uitgifte; datum uitreiking; opgemaakt op; datum creditnota; notadatum; fact datum; factuurdat; datum nota; datum bon; nota datum; datum declaratie',
      generic: 'datum; d.d.; gedateerd; dd',
    },
    {
      specific:
        'datum vystaveni; datum vystaveni dokladu; datum vystavenia; datum vyhotovenia; vystavena dna; datum vystavenia faktury; vystaveno; vystaveno dne; datum vyhotoveni; datum faktury; vystavene dna; den vystaveni',
      generic: 'datum; dne',
    },
    {
      specific:
        'fakturadato; faktura dato; faktureringsdato; regningsdato; udstedelsesdato; utstedelsesdato; fakturaens dato; dato for faktura; kreditnotadato; bilagsdato',
      generic: 'dato; den',
    },
    { specific: 'fakturadatum; faktureringsdatum; datum faktura; fakturans datum; utskriftsdatum faktura; utfardad' },
    {
      specific:
        'laskun paivays; laskun paivamaara; laskupvm; laskun pvm; laskupaiva; laskun paiva; paivays; laskutuspaiva',
      generic: 'paivamaara; pvm',
    },
    {
      specific:
        'szamla kelte; kiallitas datuma; kiallitas kelte; szamla datuma; kiallitas napja; szamla kiallitasanak datuma; kelt; kelte; kibocsatas datuma',
      generic: 'datum',
    },
    {
      specific:
        'data facturii; data emiterii; data emitere; data factura; data facturare; emisa la; data zi luna an; data document',
      generic: 'data',
    },
    {
      specific:
        'data de emissao; data emissao; data da fatura; data da emissao; emitido em; emitida em; data fatura; data do documento; emissao',
      generic: 'data',
    },
    {
      specific: 'ημερομηνια εκδοσης; ημερομηνια τιμολογιου; ημ/νια εκδοσης; ημνια εκδοσης; ημερ εκδοσης',
      generic: 'ημερομηνια; ημ/νια; ημνια',
    },
  ],
  dueDate: [
    {
      specific:
        'due date; payment due; payment due date; pay by; payable by; due on; due by; payment due by; date due; to be paid by; please pay by; pay before; payment date; invoice due; invoice due date; payable on or before; payment deadline; please pay before; latest payment date; payment due on; payment is due by; payment is due on; please remit by; due for payment by; pay no later than; no later than; settle by; settlement due; settlement date; payable on; payment required by; must be paid by; payment by; payment due before; please settle by; please pay no later than; due for payment; payable before; i.e. by; ie by; that is by; i.e. on or before; payment latest by; settlement by; collected on or after; expiry date; expires; direct debit on or after; will be collected on; taken from your account on; by direct debit on',
      generic: 'due; before; maturity; maturity date; on or after',
    },
    {
      specific:
        'falligkeitsdatum; faelligkeitsdatum; fallig am; faellig am; zahlbar bis; zahlbar bis zum; zahlbar am; zahlungsziel; netto bis; zahlungsziel bis; zahlbar netto bis; zahlung bis; zahlen bis; zahlungsfrist; zahlungsfrist bis; fallig bis; zahlungstermin; zahlbar ohne abzug bis; ohne abzug bis; zu zahlen bis; zahlung fallig am; uberweisen bis; fallig zum; bitte bis zum; bis spatestens; zahlungseingang bis; rechnung fallig am; zahlbar spatestens; falligkeitstag; zahlung erbeten bis; zahlungsfalligkeit; begleichen bis; uberweisung bis; zu begleichen bis; valuta; zahlbar bis spatestens; bitte zahlen bis; bitte uberweisen bis; zahltermin; fallig per; zahlbar per; d.h. bis; d.h. bis zum; das heisst bis; also bis zum; spatestens am; spatestens bis zum; netto kasse bis; rein netto bis',
      generic: 'falligkeit; fallig; bis zum; bis',
    },
    {
      specific:
        "date d'echeance; date echeance; date limite de paiement; date limite de reglement; a payer avant; a payer avant le; a regler avant le; payable le; payable avant le; a payer pour le; echeance de paiement; echeance le; reglement avant le; paiement avant le; a regler le; date de reglement; date de paiement; echeance au; a echeance du; a regler au plus tard le; paiement au plus tard le; soit le; a regler pour le; date limite; limite de paiement; echeance du; reglement avant; a payer pour; payable jusqu'au; exigible le; date d'exigibilite; c'est-a-dire le; soit avant le; soit au plus tard le",
      generic: 'echeance; reglement le; echeances; avant le; au plus tard le',
    },
    {
      specific:
        'termin platnosci; termin zaplaty; platne do; platne do dnia; do zaplaty do; do zaplaty do dnia; platnosc do; data platnosci; termin plat; platnosc w terminie; termin platnosci do; zaplata do; wymagalne dnia; termin regulowania platnosci; prosimy o zaplate do; zaplata w terminie do; platnosc do dnia; prosimy o wplate do; wplaty do dnia; termin wplaty; termin platnosci uplywa; tj do dnia; tj do; tzn do; czyli do',
      generic: 'termin; platnosc; do dnia; tj',
    },
    {
      specific:
        'fecha de vencimiento; fecha vencimiento; fecha limite de pago; pagar antes de; pagar antes del; vence el; fecha de pago; pagadero el; a pagar antes del; vencimiento el; fecha pago; pago antes del; vencimientos; fecha vto; vto; pago hasta; fecha de vto; fecha de cargo; vto el; a pagar el; plazo de pago hasta; pagar hasta; fecha maxima de pago; limite de pago; es decir el; o sea el; antes del dia',
      generic: 'vencimiento; vence; vto.',
    },
    {
      specific:
        'data scadenza; data di scadenza; scadenza pagamento; scadenza del pagamento; da pagare entro; da pagare entro il; pagare entro il; pagamento entro il; scadenza il; scade il; data pagamento; scadenze; termine di pagamento; scadenza fattura; entro il; con scadenza; scadenza al; scad; scad pagamento; termine pagamento; pagabile entro il; saldo entro il; pagamento entro; data scad; pagare entro; scadenza rata; ossia il; cioe il; ovvero entro il',
      generic: 'scadenza; scad.',
    },
    {
      specific:
        'vervaldatum; vervaldag; te betalen voor; betalen voor; uiterste betaaldatum; uiterste betaaldag; te voldoen voor; betaaldatum; betaling voor; uiterlijk te betalen op; te betalen uiterlijk; vervalt op; betalen uiterlijk; voldoen voor; betalingstermijn tot; uiterlijk betalen op; uiterlijk op; betaal uiterlijk; gelieve te betalen voor; betaaltermijn tot; te betalen tot; uiterste datum; voor of op; te betalen op; betaling uiterlijk; graag betalen voor; vervaldatum factuur; voldoen uiterlijk; d.w.z. voor; dus voor; dus uiterlijk',
      generic: 'vervalt; uiterlijk; voor',
    },
    {
      specific:
        'datum splatnosti; splatnost; splatno dne; splatna dne; splatne do; splatne dna; den splatnosti; uhradte do; splatnost do; termin splatnosti',
      generic: 'splatno',
    },
    {
      specific:
        'forfaldsdato; forfald; betalingsdato; forfaller; forfallsdato; betalingsfrist; sidste betalingsdag; sidste rettidige betalingsdag; betales senest; betales innen; betal senest; forfald den; siste betalingsfrist; rettidig betaling; forfall',
      generic: 'senest',
    },
    {
      specific:
        'forfallodatum; forfallodag; forfallodag den; oss tillhanda; oss tillhanda senast; betalas senast; betalningsdag; sista betalningsdag; sista betaldag; att betala senast; betalas fore',
      generic: 'forfaller',
    },
    {
      specific:
        'erapaiva; erapvm; eradag; erapaiva/forfallodag; erapaiva / forf dag; maksupaiva; maksettava viimeistaan; viimeinen maksupaiva',
      generic: 'forf dag; forf.dag',
    },
    {
      specific:
        'fizetesi hatarido; fizetes hatarideje; esedekesseg; esedekes; fizetendo eddig; fizetesi hatarnap; esedekesseg datuma; fizetesi hatarido datuma',
      generic: 'hatarido',
    },
    {
      specific:
        'scadenta; data scadenta; data scadentei; scadent la; termen de plata; termen plata; scadenta la; data limita de plata; termen de scadenta',
      generic: 'termen',
    },
    {
      specific:
        'data de vencimento; data vencimento; pagar ate; vencimento em; data limite de pagamento; data limite; pagamento ate; vence a; vence em; limite de pagamento; pagavel ate',
      generic: 'vencimento',
    },
    { specific: 'ημερομηνια ληξης; ημερομηνια πληρωμης; πληρωτεο εως; προθεσμια πληρωμης; ληξη; πληρωμη εως' },
  ],
  gross: [
    {
      specific:
        'grand total; total including vat; total incl vat; total inc vat; total incl tax; total inc tax; total including tax; total with vat; invoice total; total invoice; total invoice amount; invoice amount; total amount due; total due; total payable; total amount payable; gross total; gross amount; total gross; total amount; total inclusive of gst; total incl gst; total inc gst; total including gst; total sales (inclusive of gst); total sales inclusive gst; amount incl vat; total to pay; total credit; credit total; total amount incl vat; total rounded; rounded total; nett total incl; total inclusive; round d total; total rm; total usd; total eur; total gbp; total aud; total cad; total inr; total (eur); amount including vat; gross; total this invoice; total this bill; amount of this invoice; invoice value; total value; sum total; total price; total charge; order total; final total; total for this invoice; total charges for this period; total new charges; total for this period; amount chargeable; total invoice value; total including all taxes; total amt; total chf; total aed; total sgd; total hkd; total nzd; total zar; total sek; total nok; total dkk; total (incl vat); total (inc gst); total inc; total incl; amount inc vat; gross invoice total',
      generic: 'total; amount; totals',
    },
    {
      specific:
        'rechnungsbetrag; gesamtbetrag; bruttobetrag; bruttosumme; rechnungssumme brutto; endbetrag; summe inkl; summe inklusive; gesamtbetrag brutto; gesamt brutto; gesamtsumme brutto; summe brutto; brutto gesamt; betrag brutto; rechnungsbetrag brutto; rechnungsendbetrag; gesamtbetrag inkl; total inkl; gesamt inkl; endsumme; gesamtpreis brutto; rechnungssumme; brutto-betrag; gutschriftsbetrag; gutschriftbetrag; betrag inkl; endbetrag brutto; rechnungstotal; gesamtbetrag inkl mwst; summe inkl mwst; summe inkl ust; gesamtsumme inkl mwst; gesamtbetrag inkl ust; total inkl mwst; gesamtrechnungsbetrag; zu uberweisender betrag; gesamtpreis; gesamtkosten; bruttorechnungsbetrag; total brutto; total chf; total eur; gesamttotal; endpreis; gesamt eur; betrag gesamt; summe eur; gesamtsumme eur; gesamtbetrag eur; totalbetrag; rechnungstotal inkl mwst; bruttogesamtbetrag; gesamtforderung; gesamtleistung brutto; summe gesamt; zu zahlender gesamtbetrag',
      generic: 'summe; gesamtsumme; brutto; gesamt; total; betrag',
    },
    {
      specific:
        "total ttc; montant ttc; total toutes taxes comprises; montant total ttc; total general; total general ttc; total facture; montant de la facture; total de la facture; montant total de la facture; prix total ttc; total avoir; total t.t.c; montant total toutes taxes comprises; total tvac; montant tvac; total tva comprise; total taxes comprises; total avoir ttc; total (ttc); total en euros ttc; total chf; net ttc; total eur; montant total a payer; total tous frais compris; total du ticket; total de l'avoir; net a votre credit; montant de l'avoir; total tva incluse; total tva incl; montant tva incluse; total ttc a payer; total net ttc; total eur ttc; total a votre credit",
      generic: 'total; montant total; ttc; montant',
    },
    {
      specific:
        'razem do zaplaty; razem brutto; wartosc brutto; naleznosc ogolem; kwota brutto; suma brutto; lacznie brutto; ogolem brutto; brutto razem; kwota naleznosci; kwota do zaplaty; lacznie do zaplaty; suma do zaplaty; wartosc brutto razem; razem wartosc brutto; kwota naleznosci ogolem; ogolem do zaplaty; wartosc faktury; do zaplaty razem; kwota ogolem; razem naleznosc; do zwrotu; razem do zwrotu; wartosc ogolem; kwota faktury; suma pln; razem pln; kwota zmniejszenia brutto; wartosc korekty brutto; razem kwota; wartosc z vat; suma brutto pln; razem kwota brutto; naleznosc razem; kwota z podatkiem; kwota korekty brutto',
      generic: 'razem; suma; ogolem; lacznie; brutto',
    },
    {
      specific:
        'total factura; importe total; total con iva; total iva incluido; importe total factura; total importe; total general; total eur; importe factura; total de la factura; total a abonar; importe total con iva; importe total iva incluido; total documento; total (iva incluido); total bruto; importe bruto; importe total a pagar; total con impuestos; total importe factura; total euros; total mxn; suma total; total con impuestos incluidos; total a percibir; total recibo; total ticket; total abono; importe del abono; total cop; total clp; total ars; total pen; total con igic; total fra; importe total de la factura',
      generic: 'total; importe',
    },
    {
      specific:
        'totale fattura; totale documento; importo totale; totale ivato; totale iva inclusa; totale lordo; importo totale fattura; tot documento; tot fattura; totale complessivo; totale generale; importo fattura; totale con iva; totale fattura iva inclusa; importo totale documento; importo complessivo; totale importo; totale euro; totale nota di credito; totale ivato inclusa; totale eur; totale da corrispondere; totale ricevuta; totale conto; totale parcella; totale scontrino; totale ft; totale fatt; totale chf; totale a pagare; importo totale euro',
      generic: 'totale; importo',
    },
    {
      specific:
        'totaal incl btw; totaal inclusief btw; te betalen bedrag; totaalbedrag; factuur totaal; factuurtotaal; factuurbedrag; totaal factuur; bedrag incl btw; bedrag inclusief btw; totaal te voldoen; eindtotaal; totaalbedrag incl btw; totaal inclusief; totaal incl; totaalbedrag inclusief btw; te ontvangen; totaal eur; eindbedrag; totaal factuurbedrag; totaal credit; totaal creditnota; totaal bedrag; incl btw; inclusief btw; te voldoen bedrag; totaal nota; totaal te uwen gunste; totaal te betalen bedrag; nota totaal; totaal creditbedrag; totaal inclusief 21% btw; totaal met btw; totaal bon; notabedrag; totaal incl btw eur; te crediteren bedrag; totaal verschuldigd',
      generic: 'totaal; bedrag',
    },
    {
      specific:
        'celkem k uhrade; k uhrade; spolu s dph; celkom k uhrade; suma k uhrade; celkom na uhradu; k uhrade spolu; spolu k uhrade; celkova suma; celkem s dph; celkova castka; celkem vcetne dph; castka k uhrade; castka celkem; celkova castka k uhrade; k uhrade celkem; k platbe; suma na uhradu; spolu k uhrade; celkem kc; celkem czk; celkem k zaplaceni; k zaplaceni',
      generic: 'celkem; spolu',
    },
    {
      specific:
        'total inkl moms; i alt inkl moms; i alt; total dkk; totalt; at betale; total at betale; belob i alt; total inklusive moms; a betale; totalt a betale; sum a betale; total nok; sum inkl mva; totalt inkl mva; til betaling; belop a betale; sum inkl moms; a betale nok; totalbelop',
      generic: 'belob; sum; belop',
    },
    {
      specific:
        'att betala; summa att betala; totalt att betala; summa inkl moms; totalt inkl moms; belopp att betala; total att betala; totalsumma; att betala sek; totalbelopp; fakturabelopp; summa sek',
      generic: 'summa',
    },
    {
      specific:
        'maksettava yhteensa; yhteensa maksettava; maksettava; laskun summa; verollinen yhteensa; summa yhteensa; loppusumma; yhteensa eur; yhteensa sis alv; maksettava eur; yhteensa sisaltaa alv; laskun loppusumma; verollinen summa; euro',
      generic: 'yhteensa',
    },
    {
      specific:
        'brutto osszesen; fizetendo; fizetendo osszesen; osszesen fizetendo; fizetendo osszeg; vegosszeg; szamla vegosszege; brutto osszesen fizetendo; brutto vegosszeg; brutto ertek osszesen; mindosszesen; osszesen brutto',
      generic: 'osszesen; brutto',
    },
    {
      specific:
        'total de plata; total plata; total general; total factura; suma de plata; total de achitat; total cu tva; valoare totala; total inclusiv tva; de plata; total de plata ron',
    },
    {
      specific:
        'total a pagar; valor total; total da fatura; valor a pagar; total com iva; total do documento; total geral; valor total da nota; montante a pagar; total liquido a pagar; valor da fatura; valor liquido da nfs-e; total da nota; total documento; a pagar',
    },
    {
      specific:
        'πληρωτεο ποσο; συνολικη αξια; γενικο συνολο; τελικο ποσο; συνολο πληρωτεο; πληρωτεο; τελικη αξια; συνολο με φπα',
      generic: 'συνολο',
    },
  ],
  payable: [
    {
      specific:
        'balance due; balance; amount due; amount payable; outstanding; amount to pay; net payable; balance to pay; outstanding balance; outstanding amount; pay this amount; please pay; amount outstanding; amount owing; you pay; payment amount; to pay; you owe; total outstanding; net amount due; balance now due; remaining balance; left to pay; balance outstanding',
    },
    {
      specific:
        'zahlbetrag; zu zahlen; zu zahlender betrag; zahlungsbetrag; restbetrag; offener betrag; zahllast; fallig; noch zu zahlen; auszahlungsbetrag; betrag zu zahlen; zu bezahlen; restforderung; verbleibender betrag; noch offen; noch zu zahlender betrag; offener restbetrag; verbleiben zu zahlen; restzahlung',
    },
    {
      specific:
        'net a payer; somme a payer; total a payer; reste a payer; solde a payer; montant a payer; a payer; montant du; solde du; net a regler; montant net a payer; total du; net a payer ttc; net a deduire; reste du; reste a regler; solde restant; solde restant du; net a regler ttc',
    },
    {
      specific:
        'do zaplaty; pozostalo do zaplaty; pozostaje do zaplaty; saldo do zaplaty; naleznosc; pozostalo; pozostaje; do doplaty; do zaplaty pozostalo; pozostala kwota',
    },
    {
      specific:
        'total a pagar; a pagar; liquido a pagar; importe a pagar; pendiente de pago; neto a pagar; total pendiente; importe pendiente; liquido a percibir; importe liquido; total a percibir; liquido; neto a percibir; a percibir; total liquido; resto a pagar',
    },
    {
      specific:
        'netto a pagare; totale da pagare; da pagare; totale dovuto; importo da pagare; importo dovuto; netto da pagare; saldo; saldo a pagare; netto dovuto; netto a pagare eur; resta da pagare; residuo da pagare; totale netto a pagare; importo a pagare; a pagare',
    },
    {
      specific:
        'te betalen; totaal te betalen; nog te betalen; te voldoen; openstaand bedrag; openstaand; te betalen totaal; restbedrag; door u te betalen; resteert; nog te voldoen; resterend bedrag; resteert te betalen',
    },
  ],
  net: [
    {
      specific:
        'subtotal; sub total; sub-total; net total; net amount; total excl vat; total ex vat; total excluding vat; total net; taxable amount; taxable value; total before tax; total before vat; amount excl vat; total excl tax; total excl gst; total exclusive of gst; total sales excluding gst; total (excluding gst); net value; total ex gst; total excl; amount before tax; total without vat; goods total; total taxable; net; vat base; total goods; vatable amount; total excluding tax; amount excl tax; net invoice total; untaxed amount; amount untaxed; total untaxed; total charges before vat; net charges; charges excluding vat; nett; nett total; total nett; net invoice value; total exclusive; total ex; total (ex gst); total ex tax; value excl vat; total amount excl; amount ex vat; net price; taxable supplies; total goods and services',
    },
    {
      specific:
        'nettobetrag; summe netto; gesamt netto; rechnungssumme ohne ust; zwischensumme; nettosumme; gesamtbetrag netto; netto gesamt; netto; betrag netto; rechnungsbetrag netto; summe exkl; warenwert; warenwert netto; total exkl; total netto; gesamtsumme netto; nettowert; zwischensumme netto; netto-betrag; nettorechnungsbetrag; summe positionen; steuerpflichtiger betrag; bemessungsgrundlage; rechnungssumme netto; netto-summe; gesamtpreis netto; nettowarenwert; nettoentgelt; entgelt; basisbetrag; positionssumme; summe ohne mwst; summe ohne ust; summe zzgl; gesamtleistung netto; nettogesamtbetrag; summe nettobetrage; leistung netto; rechnungsbetrag ohne mwst; total exkl mwst; zwischentotal; total ohne mwst; netto eur; subtotal; summe der leistungen; gesamtsumme ohne ust; nettoumsatz; nettobetrag eur; gesamtnetto',
    },
    {
      specific:
        'total ht; montant ht; total hors taxe; total hors taxes; base ht; sous-total; sous total; total h.t; montant total ht; montant hors taxe; montant hors taxes; total net ht; net ht; base imposable; base tva; sous-total ht; total htva; montant htva; total hors tva; total brut ht; net commercial; base hors taxe; ht; prix total ht; total (ht); montant net ht; prix ht; montant net; total net; ss-total; sous total ht; total general ht; total prestations; hors taxes; hors tva; montant total hors taxe; net hors taxes',
    },
    {
      specific:
        'razem netto; wartosc netto; suma netto; kwota netto; netto razem; ogolem netto; lacznie netto; wartosc netto razem; razem wartosc netto; podstawa opodatkowania; netto; naleznosc netto; podstawa vat; kwota zmniejszenia netto; kwota korekty netto; razem wartosc; suma wartosci netto; netto pln; ogolem wartosc netto',
    },
    {
      specific:
        'base imponible; subtotal; sub-total; total sin iva; importe neto; total neto; base; suma; importe sin iva; total base imponible; total bases; neto; importe base; total antes de impuestos; base imp; suma base imponible; importe imponible; total bruto sin iva; importe bruto sin iva; total neto sin iva; suma y sigue; suma importes; importe sin impuestos; base iva; total sin impuestos; valor neto; subtotal sin iva; base imponible iva',
    },
    {
      specific:
        'imponibile; totale imponibile; totale netto; importo netto; subtotale; sub totale; netto; totale merce; tot imponibile; base imponibile; importo imponibile; totale iva esclusa; imponibile iva; totale senza iva; netto imponibile; totale merci; totale parziale; totale imponibili; totale prestazioni; compenso; totale imponibile iva; importo al netto iva; totale non ivato; totale esclusa iva; imponib',
    },
    {
      specific:
        'totaal excl btw; exclusief btw; subtotaal; grondslag; totaal exclusief btw; excl btw; bedrag excl btw; netto; nettobedrag; netto bedrag; maatstaf van heffing; totaal excl; totaal exclusief; bedrag exclusief btw; netto totaal; totaal netto; btw grondslag; goederenbedrag; sub totaal; belastbaar bedrag; totaal zonder btw; maatstaf; bedrag zonder btw; subtotaal excl btw; totaal ex btw; ex btw; netto factuurbedrag; basis',
    },
    {
      specific:
        'zaklad dane; celkem bez dph; spolu bez dph; celkom bez dph; cena spolu bez dph; castka bez dph; cena bez dph; zaklad; bez dph; zaklad dph; zaklad dane celkem; suma bez dph',
    },
    {
      specific:
        'subtotal ekskl moms; i alt ekskl moms; total ekskl moms; belob ekskl moms; momsgrundlag; netto belob; nettobelob; belob uden moms; i alt uden moms; sum ekskl moms; sum eks mva; belop eks mva; totalt eks mva; grunnlag mva; mva-grunnlag; sum uten mva; netto sum',
    },
    {
      specific:
        'summa exkl moms; netto exkl moms; belopp exkl moms; totalt exkl moms; summa exklusive moms; momsunderlag; netto summa; exkl moms; summa netto; underlag moms',
    },
    {
      specific:
        'veroton yhteensa; veroton summa; veroton; yhteensa ilman alv; alv 0; yhteensa alv 0; veroton hinta yhteensa; netto yhteensa',
    },
    { specific: 'netto osszesen; adoalap; netto ertek; netto osszeg; osszesen netto; ado alapja; netto vegosszeg' },
    {
      specific:
        'total fara tva; valoare fara tva; baza de impozitare; subtotal fara tva; total net; baza impozabila; valoare neta',
    },
    {
      specific:
        'total sem iva; valor sem iva; base tributavel; total iliquido; incidencia; valor liquido; base de incidencia; total liquido; base de calculo; iliquido; subtotal sem iva; base iva',
    },
    { specific: 'καθαρη αξια; συνολο χωρις φπα; αξια προ φπα; καθαρο ποσο; φορολογητεα αξια; υποσυνολο' },
  ],
  tax: [
    {
      specific:
        'vat; sales tax; gst; qst; tvq; tps; gst/tps; qst/tvq; hst/tvh; tvh; tps/gst; tvq/qst; total tax; tax amount; total vat; vat amount; total gst; gst amount; output tax; tax total; tax; hst; pst; igst; cgst; sgst; consumption tax; add vat; plus vat; vat total; value added tax; service tax; sst; vat thereon; of which vat; vat included; vat charged; total tax amount; tax charged; gst included; includes gst; vat @; incl vat of',
    },
    {
      specific:
        'mwst; ust; umsatzsteuer; mehrwertsteuer; steuerbetrag; zzgl; mwst-betrag; ust-betrag; umsatzsteuerbetrag; steuer; gesamt mwst; summe mwst; summe ust; mwst gesamt; zuzuglich; mehrwertsteuerbetrag; steuersumme; gesamtsteuer; enthaltene mwst; darin enthaltene mwst; steuerbetrag gesamt; zzgl mwst; zzgl ust; zuzuglich mwst; zzgl umsatzsteuer; plus mwst; mwst total; total mwst; mwst total chf; darin mwst; + mwst; mwst-summe; steuern',
    },
    {
      specific:
        'tva; montant tva; total tva; t.v.a; montant de la tva; taxe; total taxes; taxes; dont tva; montant taxe; total t.v.a; tva totale; total des taxes; montant total tva; t.v.a. totale; dont t.v.a; taxe sur la valeur ajoutee; tva due; tva collectee',
    },
    {
      specific:
        'kwota vat; podatek vat; vat; suma vat; razem vat; wartosc vat; kwota podatku; podatek; ogolem vat; kwota podatku vat; vat razem; naleznosc vat; wartosc podatku; podatek razem; kwota zmniejszenia vat; kwota korekty vat; w tym vat; podatek od towarow i uslug; suma ptu; ptu',
    },
    {
      specific:
        'cuota iva; iva; igic; importe iva; total iva; cuota; i.v.a; total cuota; impuestos; total impuestos; cuota i.v.a; total cuota iva; cuotas; importe impuestos',
    },
    {
      specific:
        'imposta; totale iva; iva; importo iva; imposte; totale imposta; tot iva; totale imposte; di cui iva; i.v.a; ammontare iva',
    },
    {
      specific:
        'btw; btw bedrag; btw-bedrag; totaal btw; omzetbelasting; bedrag btw; btw totaal; b.t.w; totaal omzetbelasting; btw totaal bedrag; totaal btw bedrag; waarvan btw; btw incl; + btw',
    },
    { specific: 'dph; dan z pridane hodnoty; dph celkem; vyse dph; castka dph; dan celkem; dph 21 %' },
    {
      specific:
        'moms; heraf moms; momsbelob; moms i alt; mva; merverdiavgift; mva belop; mva-belop; mva totalt; herav mva; sum mva',
    },
    { specific: 'momsbelopp; varav moms; moms sek; mervardesskatt; moms totalt; summa moms' },
    { specific: 'alv; arvonlisavero; alv yhteensa; vero yhteensa; veron osuus; alv-osuus; alv maara' },
    { specific: 'afa; afa osszesen; afa osszege; afa ertek; osszesen afa; altalanos forgalmi ado; afa ertek osszesen' },
    { specific: 'valoare tva; total tva; tva total; tva colectat' },
    {
      specific:
        'valor do iva; total iva; total do iva; iva total; valor iva; montante do iva; total de iva; valor do icms; valor do iss; total impostos; valor dos impostos',
    },
    { specific: 'φπα; συνολο φπα; ποσο φπα; αξια φπα' },
  ],
  payee: [
    {
      specific:
        'remit to; please remit to; remittance address; remittance to; remit payment to; remit payments to; pay to; payable to; payee; payment to; make payment to; make payments to; make checks payable to; make cheques payable to; checks payable to; cheques payable to',
    },
    { specific: 'zahlbar an; zahlung an; zahlungen an; bitte zahlen an; konto zahlbar an' },
    { specific: "payable a; compte payable a; a l'ordre de; paiement a" },
    { specific: 'platnosc na rzecz; na rzecz' },
    { specific: 'pagadero a; pagar a; a la orden de' },
    { specific: 'pagabile a; pagare a; conto pagabile a' },
    { specific: 'betaalbaar aan; te betalen aan; betalen aan' },
  ],
  supplier: [
    {
      specific:
        'seller; supplier; vendor; sold by; issued by; service provider; from; issuer; billed by; our details; invoice from; bill from; company details; prop; proprietor; landlord; lessor; licensor',
    },
    {
      specific:
        'verkaufer; lieferant; rechnungssteller; rechnungsersteller; leistungserbringer; absender; aussteller; von; rechnung von; anbieter; auftragnehmer; rechnungsaussteller; vermieter; verpachter',
    },
    {
      specific:
        'vendeur; fournisseur; emetteur; prestataire; expediteur; emis par; emise par; facture emise par; emetteur de la facture; bailleur',
    },
    { specific: 'sprzedawca; wystawca; sprzedajacy; dostawca; dane sprzedawcy; wystawca faktury; uslugodawca' },
    {
      specific:
        'proveedor; emisor; vendedor; expedidor; datos del emisor; datos del proveedor; prestador; datos del vendedor; datos fiscales del emisor; emitida por',
    },
    {
      specific:
        'fornitore; cedente; prestatore; mittente; cedente prestatore; emittente; dati fornitore; venditore; emesso da; emessa da',
    },
    {
      specific:
        'leverancier; verkoper; afzender; gegevens leverancier; verhuurder; opdrachtnemer; van; dienstverlener; leverancier gegevens',
    },
    { specific: 'dodavatel; dodavatel:; prodavajici; poskytovatel; zhotovitel; vystavitel; dodavatelia; predavajuci' },
    { specific: 'leverandor; saelger; selger; afsender; udsteder; utsteder' },
    { specific: 'leverantor; saljare; avsandare; utstallare' },
    { specific: 'myyja; laskuttaja; toimittaja; lahettaja; laskun lahettaja' },
    { specific: 'elado; szallito; szolgaltato; kibocsato; szamlakibocsato; elado adatai; szallito adatai' },
    { specific: 'furnizor; prestator; vanzator; emitent; datele furnizorului' },
    {
      specific:
        'fornecedor; emitente; vendedor; prestador; prestador de servicos; dados do emitente; prestador do servico',
    },
    { specific: 'προμηθευτης; εκδοτης; πωλητης; στοιχεια εκδοτη; στοιχεια προμηθευτη' },
  ],
  buyer: [
    {
      specific:
        'buyer; bill to; billed to; customer; client; ship to; sold to; invoice to; invoiced to; deliver to; delivery address; billing address; shipping address; customer details; recipient; consignee; to; attn; attention; invoice address; payer; for; customer name; bill-to; sold-to; customer address; purchaser; debtor; billing to; prepared for; delivered to; tenant; lessee; licensee; guest; guest name',
    },
    {
      specific:
        'kaufer; rechnungsempfanger; leistungsempfanger; kunde; lieferadresse; rechnungsadresse; rechnungsanschrift; lieferanschrift; empfanger; an; auftraggeber; kaufer leistungsempfanger; rechnung an; lieferung an; besteller; kundenanschrift; firma; herrn; frau; warenempfanger; kundin; abnehmer; rechnungsempfanger in; zu handen; mieter; pachter; gast',
    },
    {
      specific:
        "client; acheteur; facture a; adresse de livraison; destinataire; adresse de facturation; facturer a; livre a; adresse facturation; livraison; facturation; a l'attention de; facturee a; adresse client; adresse livraison; locataire; donneur d'ordre; preneur; vendu a; pour le compte de; expedie a; destinataire de la facture; lieu de livraison",
    },
    {
      specific:
        'nabywca; odbiorca; platnik; kupujacy; zamawiajacy; klient; dane nabywcy; adres dostawy; uslugobiorca; nabywca odbiorca',
    },
    {
      specific:
        'cliente; comprador; destinatario; facturar a; datos del cliente; direccion de envio; direccion de facturacion; facturado a; enviar a; direccion de entrega; datos cliente; receptor; datos fiscales del cliente; adquirente; datos del destinatario; facturacion a; entregar en; para; senor es; datos del receptor; a la atencion de; datos de facturacion',
    },
    {
      specific:
        'cliente; cessionario; committente; destinatario; spett le; spettle; spettabile; indirizzo di consegna; intestatario; acquirente; destinazione merce; luogo di destinazione; cessionario committente; dati cliente; fatturare a; destinazione; consegna a; egr sig; intestata a; indirizzo di fatturazione; fatturato a; luogo di consegna; alla cortese attenzione',
    },
    {
      specific:
        'klant; koper; factuuradres; afleveradres; debiteur; aan; klantgegevens; huurder; factuur aan; afnemer; bezorgadres; opdrachtgever; gefactureerd aan; leveradres; ontvanger; t.a.v; ter attentie van; verzendadres; klant gegevens; factureren aan',
    },
    {
      specific:
        'odberatel; kupujici; zakaznik; objednatel; prijemce; fakturacni adresa; konecny prijemce; odberatel:; prijemca; kupujuci',
    },
    {
      specific:
        'kunde; kober; modtager; mottaker; kjoper; faktureres til; faktura til; fakturaadresse; leveres til; leveringsadresse',
    },
    {
      specific: 'kund; kopare; mottagare; faktureringsadress; fakturaadress; faktureras till; leveransadress; betalare',
    },
    {
      specific:
        'asiakas; ostaja; laskutettava; maksaja; tilaaja; laskutusosoite; laskun saaja; toimitusosoite; vastaanottaja',
    },
    { specific: 'vevo; vasarlo; megrendelo; vevo adatai; szamla cimzettje; fizeto' },
    { specific: 'cumparator; beneficiar; client; catre; datele clientului; beneficiarul' },
    {
      specific:
        'cliente; adquirente; comprador; destinatario; tomador; tomador de servicos; exmo sr; exmo(s) sr(s); exmos srs; exmo(s). sr(s).; dados do cliente; tomador do servico; sacado',
    },
    { specific: 'πελατης; αγοραστης; προς; στοιχεια πελατη; ληπτης; στοιχεια ληπτη; επωνυμια πελατη' },
  ],
  partyName: [
    {
      specific:
        'name; company; company name; legal name; business name; trading name; registered name; account name; account holder; beneficiary; beneficiary name; account name of',
    },
    { specific: 'firma; firmenname; kontoinhaber; zahlungsempfanger; inhaber; name des unternehmens' },
    {
      specific:
        'nom; raison sociale; denomination; societe; titulaire du compte; beneficiaire; denomination sociale; nom de la societe',
    },
    { specific: 'nazwa; nazwa firmy; firma; pelna nazwa; posiadacz rachunku' },
    {
      specific:
        'nombre; razon social; empresa; denominacion social; titular de la cuenta; nombre o razon social; beneficiario; nombre fiscal; denominacion',
    },
    {
      specific:
        'denominazione; ragione sociale; ditta; intestato a; nome; beneficiario; denominazione sociale; intestatario conto',
    },
    { specific: 'naam; bedrijfsnaam; bedrijf; ten name van; t.n.v; tnv; rekeninghouder; handelsnaam' },
    { specific: 'prijemce platby; majitel uctu' },
    { specific: 'kontohaver; kontohavers navn; modtagernavn; kontoeier' },
    { specific: 'kontohavare; betalningsmottagare' },
    { specific: 'saaja; saajan nimi; tilinomistaja' },
    { specific: 'kedvezmenyezett; szamlatulajdonos; bankszamla tulajdonosa' },
    { specific: 'titular; titular cont; beneficiar plata' },
    { specific: 'titular da conta; razao social; favorecido; nome/razao social' },
    { specific: 'δικαιουχος; επωνυμια' },
  ],
  orderRef: [
    {
      specific:
        'po number; purchase order; order no; your reference; po no; po #; p.o. number; p.o. no; purchase order no; purchase order number; order number; your order; your order no; your ref; order reference; order ref; customer po; customer order; po; buyer reference; order #; po ref; customer reference; cust po; p.o; order id; your po; client reference; your purchase order; purchase order ref',
    },
    {
      specific:
        'bestellnummer; bestell-nr; ihre bestellung; auftragsnummer; ihre bestellnummer; bestellung nr; bestellnr; auftrags-nr; auftragsnr; ihr auftrag; ihr zeichen; ihre referenz; bestellung; kundenreferenz; ihre bestell-nr; bestellreferenz; auftrag nr; ihre auftragsnummer; ihre bestellung nr; bestellung vom; auftrag; referenznummer',
    },
    {
      specific:
        'n° de commande; bon de commande; votre reference; numero de commande; commande n°; votre commande; n° commande; reference commande; bon de commande n°; reference client; votre ref; ref commande; v/ref; no de commande; commande; votre commande n°; numero commande; votre bon de commande; n° de bon de commande; ref client',
    },
    {
      specific:
        'numer zamowienia; nr zamowienia; zamowienie; zamowienie nr; do zamowienia; numer zam; nr zam; zamowienie klienta; zamowienie numer; nr zamowienia klienta',
    },
    {
      specific:
        'pedido; n° de pedido; su referencia; numero de pedido; nº de pedido; nº pedido; su pedido; pedido nº; referencia cliente; orden de compra; ref cliente; referencia del pedido; numero pedido; pedido n°; referencia pedido; s/ref; su pedido nº; orden de compra nº; n pedido; num pedido',
    },
    {
      specific:
        "ordine; n ordine; vs ordine; numero ordine; ordine n; vostro ordine; rif ordine; riferimento ordine; ordine di acquisto; vs rif; ordine cliente; ordine nr; vs ordine n; n° ordine; rif vs ordine; numero d'ordine; ordine d'acquisto; ordine d'acquisto n; ordine n°; vostro riferimento; nr ordine",
    },
    {
      specific:
        'ordernummer; bestelnummer; uw referentie; uw ordernummer; order nr; inkoopordernummer; ordernr; uw bestelnummer; inkooporder; uw order; uw kenmerk; bestelling; bestelnr; referentie klant; bestelbon; inkoopnummer; uw inkoopnummer; uw inkooporder; inkooporder nr',
    },
    { specific: 'cislo objednavky; objednavka c; objednavka cislo; vase objednavka; obj c; objednavka' },
    {
      specific:
        'ordrenummer; ordrenr; ordre nr; rekvisitionsnummer; indkobsordre; deres ordre; bestillingsnummer; bestillingsnr; innkjopsordre; indkobsordrenummer; deres ordrenr',
    },
    { specific: 'ordernummer; ordernr; order nr; inkopsorder; ert ordernummer; bestallningsnummer; ert ordernr' },
    { specific: 'tilausnumero; tilausnro; tilaus nro; ostotilausnumero; tilauksen numero; tilausviite' },
    { specific: 'rendelesszam; rendeles szama; megrendeles szama; megrendelesszam' },
    { specific: 'numar comanda; nr comanda; comanda nr; comanda numarul' },
    {
      specific:
        'n encomenda; nº encomenda; encomenda n; encomenda nº; numero da encomenda; ordem de compra; pedido n; pedido nº; vossa encomenda; v encomenda; nota de encomenda; requisicao n; numero do pedido',
    },
    { specific: 'αριθμος παραγγελιας; αρ παραγγελιας' },
  ],
  currency: [
    {
      specific:
        'currency; amounts in; all amounts in; invoice currency; currency code; prices in; all prices in; amounts shown in; amounts are in',
    },
    {
      specific:
        'wahrung; betrage in; alle betrage in; rechnungswahrung; angaben in; preise in; alle angaben in; alle preise in',
    },
    {
      specific:
        'devise; montants en; montants exprimes en; monnaie; tous les montants en; tous les montants sont en; prix en; montants en devise',
    },
    { specific: 'waluta; waluta faktury; kwoty w; waluta dokumentu; ceny w' },
    { specific: 'moneda; divisa; importes en; moneda de la factura; importes expresados en; precios en' },
    { specific: 'valuta; divisa; importi in; importi espressi in; valori in; prezzi in' },
    { specific: 'valuta; bedragen in; munt; alle bedragen in; munteenheid; prijzen in' },
  ],
  iban: [
    {
      specific:
        'iban; account number; account no; bank account; bank details; iban no; iban number; iban code; bank account number; beneficiary account; account; a/c no; iban account',
    },
    { specific: 'bankverbindung; konto; kontonummer; kto; bankdaten; iban nr; konto-nr; kontoverbindung; bankkonto' },
    {
      specific:
        'rib; coordonnees bancaires; compte bancaire; domiciliation bancaire; n° de compte; numero de compte; compte',
    },
    {
      specific:
        'nr konta; numer konta; konto; numer rachunku; nr rachunku; rachunek bankowy; numer rachunku bankowego; nr rachunku bankowego; konto bankowe; numer konta bankowego; bank',
    },
    {
      specific:
        'cuenta bancaria; cuenta; numero de cuenta; nº de cuenta; nº cuenta; datos bancarios; ccc; n° de cuenta; cuenta corriente; cuenta de abono',
    },
    {
      specific:
        'coordinate bancarie; conto corrente; c/c; conto; banca d appoggio; banca; numero di conto; appoggio bancario; bonifico; conto bancario',
    },
    {
      specific:
        'rekening; rekeningnummer; bankrekening; bankrekeningnummer; bankrelatie; rekeningnr; bankgegevens; rekening nr',
    },
  ],
  taxId: [
    {
      specific:
        'vat no; vat number; vat reg no; vat registration number; vat id; vat registration no; vat reg; vat id no; vat nr; tax id; tax id no; tax number; tin; gst no; gst reg no; gstin; gst registration no; gst id; abn; ein; tax registration number; trn; vat identification number; tax identification number; uin; vat; vat code; gst registration number; fed tax id; tax reg no; gst number; gstin/uin; tax registration no; gst; vat reg number; seller vat; supplier vat; eu vat; eu vat no; eu vat id; federal tax id; sales tax id',
    },
    {
      specific:
        'ust-idnr; ust-id-nr; ust-id; ustid; ustidnr; ust id nr; umsatzsteuer-id; umsatzsteuer-identifikationsnummer; uid; uid-nr; uid-nummer; mwst-nr; mwst nr; mwst-nummer; umsatzsteuer-identnummer; ust-ident-nr; ust-identnr; umsatzsteuer-idnr; umsatzsteuer-id-nr; vat-id; ust-identifikationsnummer; umsatzsteueridentifikationsnummer; umsatzsteuernummer; ust nr; atu; ust-nr',
    },
    {
      specific:
        "tva intracommunautaire; n° tva; numero de tva; n° tva intracommunautaire; numero tva; n° de tva; n° tva intra; tva intra; id tva; n° de tva intracommunautaire; numero de tva intracommunautaire; n° tva intracom; identifiant tva; tva; no tva; code tva; n° d'identification tva; num tva; n° id tva; tva n°; n° tva ce",
    },
    { specific: 'nip; numer nip; nr nip; nip/vat ue; vat ue; nip ue; nip sprzedawcy; nip-ue' },
    {
      specific:
        'nif; cif; n.i.f; c.i.f; nif/cif; cif/nif; nif iva; nif-iva; cif nif; dni/nif; nif cif; vat; dni; nie; nif/vat; iva intracomunitario; n° iva; nº iva; vat/nif; id fiscal; identificacion fiscal; numero de identificacion fiscal',
    },
    {
      specific:
        'p iva; p.iva; partita iva; partita i.v.a; part iva; piva; p. iva; c.f./p.iva; p.iva/c.f; codice fiscale e partita iva; p.iva e c.f; c.f. e p.iva; p.i; codice iva; p iva c f; c f p iva; p i; cod fisc e p iva; cod fisc/p iva; p.iva e codice fiscale; partita iva e codice fiscale; cod iva; id fiscale iva; vat',
    },
    {
      specific:
        'btw-nummer; btw nummer; btw nr; btw-nr; btw; btw id; btw-id; btw-identificatienummer; btwnr; btw identificatienummer; b.t.w. nr; omzetbelastingnummer; vat; ob-nummer; ondernemingsnummer; btw no; btw identificatie',
    },
    { specific: 'dic; dic:; ic dph; danove identifikacni cislo' },
    {
      specific:
        'cvr; cvr-nr; cvr nr; cvr-nummer; se-nr; se nr; momsnr; moms nr; moms-nr; mva-nr; mva nr; mva-nummer; org nr mva; orgnr mva',
    },
    { specific: 'momsreg nr; momsregnr; momsregistreringsnummer; vat-nr; momsnummer; moms reg nr' },
    { specific: 'alv-nro; alv nro; alv-tunniste; alv-numero; vat-tunnus; alv-tunnus' },
    { specific: 'adoszam; kozossegi adoszam; eu adoszam; kozossegi adoszama; adoszama' },
    {
      specific:
        'cod tva; cui; cod fiscal; c.i.f; c.u.i; cod de inregistrare in scopuri de tva; cod unic de inregistrare; cif/cui',
    },
    {
      specific:
        'contribuinte; nipc; n contribuinte; nº contribuinte; contribuinte n; contribuinte nº; numero de contribuinte; cnpj; cpf; cnpj/cpf; no contribuinte',
    },
    { specific: 'αφμ; α.φ.μ; αρ φορολογικου μητρωου' },
  ],
  localTaxId: [
    {
      specific:
        'utr; company registration; registration no; company no; company number; registered no; co reg no; reg no; registered number; company reg no; company registration no; company registration number; co no; registered in england no; crn; roc no; uen; acn',
    },
    {
      specific:
        'steuernummer; steuer-nr; st-nr; steuernr; hrb; handelsregister; handelsregisternummer; registernummer; amtsgericht; fn; firmenbuchnummer; gln; globale nummer; glaubiger-id; glaubiger-identifikationsnummer; wirtschafts-idnr; registergericht; hra',
    },
    {
      specific:
        'siret; siren; rcs; n° siret; n° siren; code ape; ape; naf; code naf; rm; capital; siret n°; capital social',
    },
    { specific: 'regon; krs; bdo; pesel; nr krs; nr bdo; swift; kapital zakladowy' },
    { specific: 'registro mercantil; tomo; folio; hoja; inscrita; reg mercantil' },
    {
      specific:
        'codice fiscale; c.f; cod fisc; cod fiscale; rea; r.e.a; iscr reg imp; registro imprese; codice destinatario; cap soc; sdi; codice sdi; cap sociale; n rea; cod sdi; pec; codice univoco; c f',
    },
    { specific: 'kvk; kvk-nummer; kvk nr; kvk nummer; k.v.k; rpr; kamer van koophandel; kvk-nr; handelsregisternr' },
    { specific: 'ico; ic; oddil c vlozka' },
    { specific: 'org nr; orgnr; organisasjonsnummer; foretaksregisteret; organisasjonsnr' },
    { specific: 'organisationsnummer; org.nr; organisationsnr' },
    { specific: 'y-tunnus; y tunnus; ly-tunnus' },
    { specific: 'cegjegyzekszam; cegjegyzek szam' },
    { specific: 'reg com; nr reg com; registrul comertului; nr ord reg com; capital social' },
    { specific: 'capital social; inscricao estadual; inscricao municipal; conservatoria; matriculada na' },
    { specific: 'γεμη; γ.ε.μη; δου; δ.ο.υ; αρ γεμη' },
  ],
  otherDate: [
    {
      specific:
        'delivery date; order date; date of order; ship date; shipping date; service date; date of supply; supply date; period; billing period; service period; statement date; date of delivery; printed; print date; date printed; date paid; payment received; date of birth; valid until; date shipped; time of supply; dispatch date; po date; purchase order date; printed on; start date; end date; period from; delivered on; delivered; date of sale; paid on; date of purchase; date of service; valid to; version; contract date; next invoice date; last invoice date; registered; exp date; expiry date; expiry; departure; arrival; check in; check out; travel date; original invoice date; for the period; services rendered; date of transaction; transaction date; discount date; discount until; if paid by; date ordered; relates to invoice; supply period; statement period; eta; etd; check-in; check-out; shipped on; work date; completion date; date of departure; from date; renewal date; next payment; quotation date; policy period',
    },
    {
      specific:
        'lieferdatum; leistungsdatum; liefer- und leistungsdatum; bestelldatum; auftragsdatum; leistungszeitraum; zeitraum; lieferzeitpunkt; leistungszeitpunkt; versanddatum; lieferung am; liefertermin; bestellung vom; stand; druckdatum; abrechnungszeitraum; auftrag vom; lieferschein vom; ihre bestellung vom; skonto bis; mit skonto bis; skontofrist; abzuglich skonto bis; lieferzeitraum; leistung vom; zeitraum vom; geliefert am; leistungserbringung; angebot vom; angebotsdatum; valutadatum; buchungsdatum; datum der lieferung; datum der leistung; bezahlt am; gebucht am; eingangsdatum; vertrag vom; bestellt am; datum der bestellung; ursprungliche rechnung vom; zur rechnung vom; gultig bis; lieferscheindatum; anreise; abreise; ankunft; ausfuhrung; bauvorhaben; mietzeitraum; vertragsbeginn; gultig ab; abbuchung am; einzug am; lieferung vom; ausgefuhrt am; reisedatum; behandlungsdatum',
    },
    {
      specific:
        "date de livraison; date de commande; date commande; periode; date de prestation; date de la prestation; livraison du; commande du; bon de livraison du; date d'expedition; periode du; date de la vente; date d'execution; livre le; date livraison; date d'impression; commande le; periode de facturation; edite le; imprime le; date d'expiration; valable jusqu au; date de la commande; facture d'origine du; date valeur; date de vente; devis du; date du devis; au comptant jusqu au; arrivee; depart; periode de consommation; sejour du; contrat du; commande en date du; bl du; intervention du; paye le; regle le; date de debut; date de fin; prelevement le; livree le",
    },
    {
      specific:
        'data sprzedazy; data dostawy; data zamowienia; okres; data wykonania uslugi; data zakonczenia dostawy; data dokonania dostawy; data realizacji; okres rozliczeniowy; data wydruku; data uslugi; data wykonania; data zakonczenia; data otrzymania zaplaty; data zaplaty; data wydania; data dostawy towaru; data wplaty; data zakonczenia dostawy uslugi; zamowienie z dnia; data obowiazku podatkowego; do faktury z dnia; data faktury korygowanej; data dostawy/wykonania uslugi; data dokonania lub zakonczenia dostawy; data sprzedazy/wykonania uslugi; data powstania obowiazku; przyjazd; wyjazd; za okres; okres najmu; zaplacono dnia; umowa z dnia; data przyjecia; okres od; wplata z dnia; data waznosci',
    },
    {
      specific:
        'fecha de entrega; fecha de pedido; fecha pedido; periodo; fecha de operacion; fecha operacion; fecha albaran; fecha de albaran; fecha del pedido; periodo de facturacion; fecha de servicio; periodo facturado; fecha entrega; fecha de la operacion; fecha de impresion; fecha valor; fecha de envio; valido hasta; fecha factura original; fecha de prestacion; fecha contrato; entrada; salida; fecha de inicio; fecha fin; periodo de consumo; contrato de fecha; fecha de cobro; pagado el; fecha de certificacion; llegada',
    },
    {
      specific:
        "data consegna; data ordine; data di consegna; periodo; data ddt; ddt del; data trasporto; data ordine cliente; ordine del; data spedizione; data d'ordine; data inizio trasporto; periodo di riferimento; periodo di fatturazione; data stampa; valuta al; stampato il; competenza; data operazione; rif fattura del; data bolla; bolla del; data ritiro; valido fino al; data contratto; arrivo; partenza; periodo dal; consegnato il; pagato il; data inizio; data fine; data intervento; soggiorno dal; periodo di consumo",
    },
    {
      specific:
        'leverdatum; orderdatum; besteldatum; periode; datum levering; leveringsdatum; verzenddatum; factuurperiode; datum order; levering op; datum van levering; afdrukdatum; betaald op; prestatiedatum; datum bestelling; geleverd op; levertijd; datum prestatie; orderdatum klant; geldig tot; boekingsdatum; uitvoeringsdatum; oorspronkelijke factuurdatum; datum opdracht; besteld op; aankomst; vertrek; ingangsdatum; einddatum; startdatum; contractdatum; uitgevoerd op; verblijf van; weeknummer; afgehaald op; datum uitvoering',
    },
    {
      specific:
        'datum uskutecneni plneni; datum dodania; datum dodania tovaru; datum dodania sluzby; datum danovej povinnosti; den dodania; datum uskutecneni zdanitelneho plneni; duzp; datum zdanitelneho plneni; datum dodani; datum objednavky; datum plneni; datum uhrady; uhrazeno dne; obdobi; datum prijeti platby',
    },
    {
      specific:
        'leveringsdato; ordredato; levering; periode; ydelsesdato; bestillingsdato; betalt den; udskrevet; leveret den; levert dato; leveranseperiode; utskriftsdato',
    },
    { specific: 'leveransdatum; orderdatum; leveransdag; leveransperiod; betald den; utskriven; period' },
    {
      specific:
        'toimituspaiva; toimitus pvm; tilauspaiva; toimituspvm; suorituspaiva; laskutuskausi; ajanjakso; maksettu',
    },
    {
      specific:
        'teljesites; teljesites datuma; teljesites kelte; teljesites idopontja; szallitas datuma; rendeles datuma; elszamolasi idoszak; idoszak',
    },
    {
      specific:
        'data livrarii; data livrare; data comenzii; aviz nr; perioada; data avizului; perioada de facturare; data platii; data incasarii',
    },
    {
      specific:
        'data de entrega; data da encomenda; data de carga; data de descarga; periodo; periodo de faturacao; data do servico; data de pagamento; hora de carga; data de saida; competencia; data de envio',
    },
    { specific: 'ημερομηνια παραδοσης; ημερομηνια αποστολης; περιοδος; ημερομηνια παραγγελιας; ωρα αποστολης' },
  ],
  otherNumber: [
    {
      specific:
        'customer no; customer number; customer id; customer #; account ref; delivery note; delivery note no; page; phone; tel; telephone; fax; mobile; e-mail; email; web; bic; swift; sort code; sort-code; reference; ref; our reference; our ref; contract no; article no; item no; quote no; job no; sales order; client no; client id; client number; cust no; customer code; account code; item; sku; part no; product code; description; qty; quantity; unit price; price; cashier; terminal; till; table; project; project no; delivery no; contract; www; http; pos; swift code; bic/swift; swift/bic; routing no; routing number; aba; hs code; payment reference; shipment no; tracking no; service no; ticket no; serial no; vehicle no; batch no; ship via; salesperson; sales person; incoterms; terms; payment terms; original invoice; original invoice no; corrects invoice; credit for invoice; against invoice; relating to invoice; quotation no; code; mandate; hours; rate; time; despatch no; line; cust id; a/c; staff; salesman; counter; user; receipt time; member; loyalty; approval code; auth code; trace; card no; invoice recipient; invoice for; invoice details; invoice address; vat rate; tax rate; tax %; vat %',
    },
    {
      specific:
        'kundennummer; kunden-nr; kundennr; kd-nr; lieferschein; lieferschein-nr; lieferscheinnummer; seite; telefon; telefax; mobil; internet; artikel-nr; artikelnummer; blz; bankleitzahl; ihre kundennummer; kundennr; zeichen; unser zeichen; vertragsnummer; vertrags-nr; angebot; angebots-nr; projekt; projektnummer; lieferantennummer; lieferanten-nr; debitor; debitorennummer; debitor-nr; bezeichnung; menge; einzelpreis; preis; ansprechpartner; sachbearbeiter; lieferantennr; position; verwendungszweck; mandatsreferenz; mandat; kundenr; einheit; bearbeiter; steuersatz; originalrechnung; ursprungsrechnung; bezug auf rechnung; zu rechnung; zu rechnung nr; rechnung nr bezug; unsere referenz; unsere auftragsnummer; leistung; einzel; gesamtpreis; mwst-satz; mwst %; ust %; mwst satz; ust-satz; stornierung der rechnung; korrektur zu rechnung; zur rechnung nr; betreff; kassenbon; kasse; bediener; ort; leistungsort; ziffer; faktor; anz',
    },
    {
      specific:
        'n° client; code client; numero client; numero de client; bon de livraison; n° de bl; page; telephone; portable; fax; courriel; designation; quantite; qte; prix unitaire; pu; p.u; code article; n° de contrat; contrat; affaire; n° affaire; devis n°; n° de devis; compte client; no client; banque; guichet; cle; code banque; code guichet; notre reference; n/ref; n° de dossier; dossier; facture d origine; facture d origine n°; sur facture n°; ref; ref client interne; vendeur n°; mode de reglement; conditions de reglement; taux; taux tva; taux de tva; libelle; unite; interlocuteur; montant ht ligne; facture rectifiee; facture rectifiee n°; reference a rappeler; annule la facture n°; devis',
    },
    {
      specific:
        'numer klienta; nr klienta; wz nr; numer wz; strona; tel; telefon; faks; lp; ilosc; cena; j.m; cena netto; stawka vat; symbol; pkwiu; nr umowy; umowa; umowa nr; nr katalogowy; nazwa towaru; nazwa uslugi; nazwa towaru lub uslugi; do faktury nr; do faktury; faktury korygowanej; nr faktury korygowanej; numer faktury korygowanej; dotyczy faktury; dotyczy faktury nr; sposob zaplaty; forma platnosci; sposob platnosci; nr ksef; numer ksef; stawka; jm; dokument wz; cena jedn; cena jednostkowa; kod; oferta nr; stawka podatku; jednostka; miejsce wystawienia; numer kontrahenta; nr kontrahenta; numer id',
    },
    {
      specific:
        'nº cliente; n° cliente; codigo cliente; numero de cliente; cod cliente; albaran; nº albaran; albaran nº; pagina; telefono; tfno; tlf; fax; movil; descripcion; cantidad; precio; precio unitario; contrato; nº contrato; presupuesto; referencia; codigo; concepto; forma de pago; nº de cliente; factura rectificada; factura original; rectifica a la factura; nuestra referencia; expediente; n° de contrato; agente; tipo iva; % iva; tipo; nº de albaran; num cliente; ref; nº de contrato; uds; unidades; dto; obra; proyecto; factura que rectifica; factura rectificada nº',
    },
    {
      specific:
        'codice cliente; cod cliente; n cliente; ddt; ddt n; d.d.t; pagina; telefono; fax; cell; descrizione; quantita; prezzo; prezzo unitario; abi; cab; cin; contratto; preventivo; codice; articolo; cod articolo; rif; commessa; cig; cup; modalita di pagamento; pag; codice articolo; aliquota; aliquota iva; rif fattura; fattura originale; nostro riferimento; ns rif; u.m; bolla n; cod; agente; contratto n; riferimento fattura; storno fattura; a storno fattura n; cod iva; pagamento; causale; q.ta; condizioni di pagamento; preventivo n; trasporto; vettore; rif fattura n; cliente n; cod cli',
    },
    {
      specific:
        'klantnummer; klantnr; klant nr; debiteurnummer; debiteurnr; pakbon; pakbonnummer; pagina; blad; telefoon; mobiel; omschrijving; aantal; prijs; stuksprijs; artikel; artikelnummer; relatienummer; relatienr; contractnummer; offerte; offertenummer; projectnummer; betalingskenmerk; ons kenmerk; referentie; kenmerk; klantcode; btw %; btw-tarief; tarief; betreft; betreft factuur; oorspronkelijke factuur; eenheid; onze referentie; prijs per stuk; betalingstermijn; klantreferentie; debiteurennummer; debiteurennr; projectcode; inzake factuur; btw tarief; creditering van factuur; bedrijfsnummer; lidnummer',
    },
    {
      specific:
        'k fakture c; puvodni doklad; puvodni faktura; k dokladu c; variabilni symbol; vs; variabilny symbol; konstantny symbol; forma uhrady; sposob uhrady; cislo objednavky c; konstantni symbol; ks; specificky symbol; cislo uctu; cislo zakaznika; zakaznicke cislo; strana; telefon; mobil; dodaci list; dodaci list c; cislo smlouvy; smlouva c; forma uhrady; zpusob platby; zpusob uhrady; mnozstvi; cena za mj; popis; oznaceni dodavky; banka',
    },
    {
      specific:
        'vedrorer faktura; gjelder faktura; krediterer faktura; oprindelig faktura; opprinnelig faktura; kundenr; kundenummer; kid; side; telefon; tlf; rekvisition; deres ref; vores ref; var ref; antal; antall; pris; beskrivelse; tekst; enhed; kontonr; kontonummer; konto; reg nr; fi-kort; betalings-id; folgeseddel; leveringsbetingelser; betalingsbetingelser; betalingsvilkar; prosjekt; avtale; ean; gln; vare nr; varenr; varenummer; bank reg; til konto; betales til konto',
    },
    {
      specific:
        'avser faktura; krediterar faktura; ursprunglig faktura; kundnummer; kundnr; ocr; ocr-nummer; ocr nr; sida; telefon; ert ref; er referens; var referens; antal; a-pris; benamning; bankgiro; plusgiro; betalningsvillkor; fraktsedel; artikelnr; artikelnummer; referensnummer; drojsmalsranta; projekt; avtal; kontonr; godkand for f-skatt',
    },
    {
      specific:
        'alkuperainen lasku; hyvitettava lasku; hyvittaa laskun; asiakasnumero; asiakasnro; asiakas nro; viitenumero; viite; sivu; puhelin; puh; maara; a-hinta; kuvaus; tilinumero; saajan tilinumero; maksuehto; viivastyskorko; toimitusehto; yksikko; viitteenne; viitteemme; tuotenumero; projekti; sopimus',
    },
    {
      specific:
        'eredeti szamla; hivatkozott szamla; helyesbitett szamla; vevokod; ugyfelszam; ugyfelkod; ugyfel azonosito; oldal; telefon; mennyiseg; egysegar; megnevezes; fizetesi mod; bankszamla; bankszamlaszam; szallitolevel; szallitolevel szama; mennyisegi egyseg; megjegyzes; szerzodesszam; cikkszam; szamlaszamunk',
    },
    {
      specific:
        'factura initiala; factura originala; referitor la factura; cod client; nr aviz; aviz; pagina; telefon; cantitate; pret unitar; denumire; cont; banca; contract nr; u.m; um; mod de plata; cota tva; numar contract; valoare; nr crt; delegat; cod produs',
    },
    {
      specific:
        'ref fatura; fatura original; referente a fatura; relativo a fatura; relativa a fatura; n cliente; nº cliente; cod cliente; codigo cliente; cliente n; pagina; telefone; telemovel; quantidade; qtd; preco unitario; preco unit; descricao; nib; guia de remessa; guia n; guia de transporte; referencia; entidade; atcud; contrato n; contrato nº; condicoes de pagamento; artigo; chave de acesso; v ref; n ref; vossa referencia; nossa referencia; morada',
    },
    {
      specific:
        'σχετικο τιμολογιο; σχετικα παραστατικα; κωδικος πελατη; σελιδα; τηλεφωνο; τηλ; ποσοτητα; περιγραφη; τιμη μοναδας; τραπεζα; τροπος πληρωμης; δελτιο αποστολης; μαρκ; uid',
    },
  ],
  otherAmount: [
    {
      specific:
        'discount; prepaid; paid; deposit; shipping; freight; rounding; rounding adjustment; change; cash tendered; tendered; handling; carriage; delivery charge; delivery; credit applied; less; amount paid; advance; payments received; already paid; previous balance; balance brought forward; balance forward; brought forward; opening balance; outstanding balance; balance from last bill; past due balance; arrears; round off; rounded off; postage; total discount; total paid; tip; service charge; qty total; total qty; total quantity; total items; item count; share capital; total weight; exchange rate; late fee; allowance; round adj; retention; early payment discount; total in words; card; visa; mastercard; savings; you saved; total savings; shipping cost; total hours; interest; insurance; net weight; gross weight; cash; cash received; amount tendered; equivalent to; equivalent; balance brought forward; brought forward; carried forward; b/f; c/f; balance forward; payment received; last bill; opening balance; closing balance; subtotal carried forward; rrp; deposit paid; insured value; declared value',
    },
    {
      specific:
        'rabatt; skonto; anzahlung; erhaltene anzahlungen; versandkosten; fracht; zuschlage; abschlage; gesamtbetrag der zuschlage; gesamtbetrag der abschlage; bereits gezahlt; gezahlt; rundung; stammkapital; abzuglich; nachlass; porto; gegeben; ruckgeld; bar; versand; rundungsdifferenz; abschlagszahlung; lieferkosten; skontobetrag; vorauszahlung; verpackung; gewicht; wechselkurs; mahngebuhr; grundkapital; einbehalt; zwischensumme rabatt; gesamtgewicht; bruttogewicht; nettogewicht; gesamtstunden; summe stunden; ubertrag; einzelpreis netto; einzelpreis brutto; ep; gp; gegenwert; barzahlung; ruckgabe; bar gegeben; abzgl; ec-karte; ec; kartenzahlung; saldovortrag; bereits bezahlt; gutscheinwert; haftrucklass; sicherheitseinbehalt; lohnanteil; arbeitslohn; lohnkosten; anteil lohn; versicherungswert; deckungsrucklass',
    },
    {
      specific:
        'remise; escompte; acompte; deja paye; frais de port; port; capital de; capital social de; arrondi; acompte verse; deja regle; rabais; ristourne; remise globale; eco participation; eco-participation; dont eco-part; indemnite forfaitaire; frais de livraison; montant remise; poids; acomptes; total remise; penalites; poids total; frais; transport; rendu; retenue de garantie; au capital de; contre-valeur; especes; carte bancaire; cb; regle; report; a reporter; solde anterieur; solde precedent; ecotaxe; participation; deduction; penalite; forfait recouvrement; rendu monnaie; total brut; frais de dossier',
    },
    {
      specific:
        'rabat; zaplacono; zaliczka; kapital zakladowy; wplacono; zaokraglenie; koszt dostawy; koszty wysylki; slownie; kaucja; przedplata; wplata; reszta; gotowka; skonto; upust; waga; koszt transportu; kurs; kurs waluty; przesylka; wysylka; zaplacono karta; saldo; wysokosc kapitalu zakladowego; rownowartosc; karta; do przeniesienia; z przeniesienia; saldo poprzednie; koszty dostawy; wydano; platnosc karta; zaplacono gotowka',
    },
    {
      specific:
        'descuento; anticipo; pagado; portes; retencion; irpf; retencion irpf; gastos de envio; dto; capital social; ret irpf; recargo; recargo de equivalencia; descuento pronto pago; anticipos; a cuenta; entregado; cambio; redondeo; total descuento; suplidos; peso; efectivo; tarjeta; importe descuento; envio; gastos; retenciones; recargo equivalencia; contravalor; a devolver; suma anterior; saldo anterior; fianza; importe entregado; retencion garantia; tarjeta credito; pagado con tarjeta; entrega a cuenta; descuento comercial; su entrega',
    },
    {
      specific:
        "sconto; acconto; pagato; spese di trasporto; trasporto; ritenuta; ritenuta d'acconto; ritenuta acconto; cap soc; capitale sociale; bollo; imposta di bollo; spese; anticipo; gia pagato; spese bancarie; spese di spedizione; arrotondamento; contributo; cassa previdenza; totale sconto; marca da bollo; peso; contanti; resto; spese incasso; rivalsa; contributo integrativo; spese varie; cap. soc. i.v; cassa; sconti; totale ritenuta; colli; controvalore; riporto; a riportare; carta; pagamento elettronico; saldo precedente; cauzione; pos; valore merce; importo pagato; bancomat; acconto versato; caparra",
    },
    {
      specific:
        'korting; aanbetaling; betaald; verzendkosten; vrachtkosten; voldaan; afronding; reeds betaald; contant; wisselgeld; transportkosten; statiegeld; voorschot; korting totaal; administratiekosten; betalingskorting; pin; gewicht; wisselkoers; ontvangen; kredietbeperking; borg; totaal korting; verzending; g-rekening; tegenwaarde; terug; gepind; transport; vorig saldo; reeds voldaan; creditcard; bancontact; retour; ingehouden; inhouding; kortingsbedrag',
    },
    {
      specific:
        'zaokrouhleni; zaloha; zaplacena zaloha; uhrazene zalohy; jiz uhrazeno; sleva; doprava; postovne; uhrazeno; penale',
    },
    {
      specific:
        'oredifferanse; oreafrunding; afrunding; avrunding; rabat; rabatt; fragt; frakt; betalt; a conto; aconto; forskud; gebyr; restbelob; forfalt belop; tidligere saldo; porto',
    },
    {
      specific:
        'oresutjamning; avrundning; oresavrundning; expeditionsavgift; fakturaavgift; paminnelseavgift; skuld fran tidigare fakturor; forskott; inbetalt',
    },
    {
      specific:
        'pyoristys; ennakkomaksu; maksettu ennakkoon; alennus; toimituskulut; laskutuslisa; rahti; aiempi saldo',
    },
    { specific: 'kerekites; eloleg; kedvezmeny; szallitasi koltseg; kifizetve; korabbi egyenleg' },
    { specific: 'rotunjire; avans; discount; transport; sold anterior; achitat; platit; penalitati' },
    {
      specific:
        'arredondamento; adiantamento; desconto; portes; retencao; retencao na fonte; retencao irs; saldo anterior; valor pago; frete; descontos; total descontos; caucao; entregue; troco',
    },
    {
      specific:
        'στρογγυλοποιηση; προκαταβολη; εκπτωση; μεταφορικα; παρακρατηση; παρακρατηση φορου; προηγουμενο υπολοιπο; εισπραξη; κρατησεις; υπολοιπο',
    },
  ],
  creditNote: [
    { specific: 'credit note; credit memo; credit invoice; tax credit note' },
    { specific: 'gutschrift; rechnungskorrektur; stornorechnung; storno; korrekturrechnung; gutschriftsanzeige' },
    { specific: "avoir; facture d'avoir; note de credit; facture avoir" },
    { specific: 'faktura korygujaca; korekta faktury; faktura vat korygujaca; korekta' },
    { specific: 'nota de credito; nota de abono; factura rectificativa; factura de abono; abono' },
    { specific: 'nota di credito; nota credito; nota di accredito; storno' },
    { specific: 'creditnota; creditfactuur; credit factuur' },
    { specific: 'dobropis; opravny danovy doklad' },
    { specific: 'kreditnota; kreditfaktura' },
    { specific: 'hyvityslasku' },
    { specific: 'jovairo szamla; helyesbito szamla; sztorno szamla; ervenytelenito szamla' },
    { specific: 'factura de stornare; factura storno; nota de creditare' },
    { specific: 'nota de credito' },
    { specific: 'πιστωτικο τιμολογιο; πιστωτικο' },
  ],
};

/**
 * Labels of invoice numbers that may be the end of a German compound word, as in Handelsrechnung and Schlussrechnung.
 */
const COMPOUND_ENDINGS = /(?:rechnung|gutschrift|nummer|datum|betrag|factuur|nota)$/;

/** Labels that announce an invoice number even without a blank, as in `No.4711` and `#4711`. */
const GLUED_TO_NUMBER = /(?:no|nr|n|num|nummer|number|numer|numero|#)$/;
/**
 * Matches a number, with or without a short prefix, that directly follows a label word. Rates, dates and amounts do not
 * match.
 */
const VALUE_BEHIND =
  /^(?:[-_]+(?:[A-Z]{1,4}[-_]?)?|)\d(?!\d?(?:[.,]\d{1,3})? ?%)(?!\d?[./-]\d{1,2}[./-]\d)(?!\d{3}-\d{2}-\d{2}(?!\d))(?![\d.,' ]*[.,]\d{2}(?!\d))/i;

interface LabelEntry {
  readonly kind: LabelKind;
  readonly isSpecific: boolean;
  readonly key: string;
  readonly length: number;
}

/**
 * A label that was found in a text. One text can announce several kinds of values: `VAT` announces a tax amount and a
 * tax id.
 */
export interface LabelHit {
  readonly entries: readonly LabelEntry[];
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

interface TrieNode {
  readonly next: Map<string, TrieNode>;
  entries: LabelEntry[];
}

const trie = buildTrie();

function buildTrie(): TrieNode {
  const root: TrieNode = { next: new Map(), entries: [] };
  for (const [kind, languages] of Object.entries(LABELS) as [LabelKind, readonly LabelWords[]][]) {
    for (const { specific, generic } of languages) {
      for (const text of specific.split(';')) addToTrie(root, kind, text.trim(), true);
      for (const text of generic?.split(';') ?? []) addToTrie(root, kind, text.trim(), false);
    }
  }
  return root;
}

function addToTrie(root: TrieNode, kind: LabelKind, text: string, isSpecific: boolean): void {
  const key = foldKey(text);
  let node = root;
  for (const letter of key) {
    const next = node.next.get(letter) ?? { next: new Map<string, TrieNode>(), entries: [] };
    node.next.set(letter, next);
    node = next;
  }
  const known = node.entries.find((entry) => entry.kind === kind);
  if (known?.isSpecific === true || known?.isSpecific === isSpecific) return;
  node.entries = node.entries.filter((entry) => entry.kind !== kind);
  node.entries.push({ kind, isSpecific, key, length: text.length });
}

/** Finds all labels in the text of a document, in the order of the text. If labels overlap, the longest one is used. */
export function findLabels(text: string): LabelHit[] {
  const { key, offsets } = foldText(text);
  const found: LabelHit[] = [];
  let from = 0;
  while (from < key.length) {
    const hit = longestLabel(text, key, offsets, from);
    if (hit === undefined) from += 1;
    else {
      found.push(hit.label);
      from = hit.next;
    }
  }
  return found;
}

function longestLabel(
  text: string,
  key: string,
  offsets: readonly number[],
  from: number,
): { label: LabelHit; next: number } | undefined {
  const start = offsets[from] ?? 0;
  const isWordStart = start === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(start - 1));
  let node = trie;
  let best: { label: LabelHit; next: number } | undefined;
  for (let index = from; index < key.length; index += 1) {
    const next = node.next.get(key.charAt(index));
    if (next === undefined) break;
    node = next;
    if (node.entries.length === 0) continue;
    const end = (offsets[index] ?? 0) + 1;
    const isWordEnd = !/\p{L}/u.test(text.charAt(end));
    const labelKey = key.slice(from, index + 1);
    // In `INVOICE-2026-171` and `PO7654321`, the words `INVOICE` and `PO` are part of the value and not labels.
    if (VALUE_BEHIND.test(text.slice(end, end + 30)) && !GLUED_TO_NUMBER.test(labelKey)) continue;
    if (!isWordEnd || (!isWordStart && !(isGermanCompound(text, start) && COMPOUND_ENDINGS.test(labelKey)))) continue;
    best = { label: { entries: node.entries, key: labelKey, start, end }, next: index + 1 };
  }
  return best;
}

function isGermanCompound(text: string, start: number): boolean {
  return start >= 3 && /\p{L}{3}$/u.test(text.slice(0, start));
}
