/**
 * Legal forms of companies after transliteration and after joining dotted letters (detection reference, section 3).
 * Each line holds the spellings of one form, with tokens separated by one space. Reviewed 2026-11.
 */
// prettier-ignore
export const legalForms: readonly (readonly string[])[] = [
  // Legal forms of companies in Poland.
  ['SP Z O O', 'SP Z OO', 'SP ZOO', 'SPZOO', 'SPOLKA Z O O', 'SPOLKA Z OO', 'SPOLKA Z OGRANICZONA ODPOWIEDZIALNOSCIA'],
  ['SP J', 'SPOLKA JAWNA'], ['SP K', 'SPOLKA KOMANDYTOWA'], ['SKA'], ['PSA', 'PROSTA SPOLKA AKCYJNA'],
  // Legal forms of companies in Germany, Austria and Switzerland.
  ['GMBH', 'MBH', 'GESELLSCHAFT MIT BESCHRANKTER HAFTUNG'], ['AG', 'AKTIENGESELLSCHAFT'],
  ['GMBH CO KG', 'GMBH UND CO KG', 'GMBH U CO KG', 'GMBH AND CO KG'], ['KG'], ['OHG'],
  ['UG', 'UG HAFTUNGSBESCHRANKT', 'UG HAFTUNGSBESCHRAENKT'], ['EK'], ['EV'], ['GBR'], ['KGAA'],
  ['SAGL', 'SOCIETA A GARANZIA LIMITATA'],
  // Legal forms of companies in the United Kingdom, Ireland and the United States.
  ['LTD', 'LIMITED'], ['PLC', 'PUBLIC LIMITED COMPANY'], ['LLP'], ['LLC'], ['INC', 'INCORPORATED'],
  ['CORP', 'CORPORATION'], ['CO'], ['DAC'], ['CIC'],
  // Legal forms of France, Belgium and Luxembourg, and of stock companies in several countries.
  ['SA', 'SOCIETE ANONYME', 'SOCIEDAD ANONIMA', 'SPOLKA AKCYJNA'], ['SARL', 'SOCIETE A RESPONSABILITE LIMITEE'], ['SAS'],
  ['SASU'], ['SCI'], ['EURL'], ['SPRL'], ['SRL'], ['SRLS'], ['SCA'],
  // Legal forms of companies in Italy, Spain and Portugal.
  ['SPA'], ['SNC'], ['SL', 'SOCIEDAD LIMITADA'], ['SLU'], ['LDA', 'LIMITADA'],
  // Legal forms of companies in the Netherlands.
  ['BV', 'BESLOTEN VENNOOTSCHAP'], ['NV', 'NAAMLOZE VENNOOTSCHAP'], ['VOF'],
  // Legal forms of companies in the Nordic and Baltic countries.
  ['AS', 'A S'], ['APS'], ['AB', 'AKTIEBOLAG', 'AKTIEBOLAGET'], ['HB', 'HANDELSBOLAG'], ['OY'], ['OYJ'], ['ASA'], ['SIA'], ['UAB'],
  ['OU'],
  // Legal forms of companies in central and south-eastern Europe.
  ['SRO', 'S R O'], ['DOO', 'D O O'], ['KFT'], ['ZRT'], ['NYRT'], ['EOOD'], ['OOD'], ['EAD'], ['AD'],
  // Legal forms of companies in Asia, Australia and Latin America.
  ['PVT LTD', 'PVT LIMITED', 'PRIVATE LIMITED'], ['PTE LTD', 'PTE LIMITED'], ['PTY LTD', 'PTY LIMITED', 'PROPRIETARY LIMITED'],
  ['KK', 'KABUSHIKI KAISHA', 'KABUSHIKI GAISHA'], ['LTDA'],
  ['SA DE CV', 'SA DE C V', 'SOCIEDAD ANONIMA DE CAPITAL VARIABLE'], ['S DE RL DE CV'], ['SRL DE CV'], ['SAPI DE CV'],
];

/**
 * Legal forms that are removed only from the end of a company name. At the beginning of a name, the two letters are
 * part of the name, as in `HB Reavis`.
 */
export const trailingLegalForms: ReadonlySet<string> = new Set(['HB', 'KK']);
