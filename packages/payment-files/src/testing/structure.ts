import { XmlDocument, XsdValidator } from 'libxml2-wasm';

/**
 * XML elements of a payment file in their order: `?` may be absent, `*` may be absent and repeated, `+` may be
 * repeated.
 */
const HEADER = 'MsgId CreDtTm Authstn* NbOfTxs CtrlSum? InitgPty FwdgAgt? InitnSrc?';
const BLOCK =
  'PmtInfId PmtMtd BtchBookg? NbOfTxs? CtrlSum? PmtTpInf? ReqdExctnDt PoolgAdjstmntDt? Dbtr DbtrAcct DbtrAgt DbtrAgtAcct? ' +
  'InstrForDbtrAgt? UltmtDbtr? ChrgBr? ChrgsAcct? ChrgsAcctAgt? CdtTrfTxInf+';
const TRANSACTION =
  'PmtId PmtTpInf? Amt XchgRateInf? ChrgBr? MndtRltdInf? ChqInstr? UltmtDbtr? IntrmyAgt1? IntrmyAgt1Acct? IntrmyAgt2? ' +
  'IntrmyAgt2Acct? IntrmyAgt3? IntrmyAgt3Acct? CdtrAgt? CdtrAgtAcct? Cdtr? CdtrAcct? UltmtCdtr? InstrForCdtrAgt* ' +
  'InstrForDbtrAgt? Purp? RgltryRptg* Tax? RltdRmtInf* RmtInf? SplmtryData*';

/** Types of the elements that payment files contain; all other elements may have any content. */
const TYPES: Readonly<Record<string, string>> = {
  MsgId: 'Identifier',
  PmtInfId: 'Identifier',
  NbOfTxs: 'Count',
  CtrlSum: 'Sum',
  GrpHdr: 'Header',
  PmtInf: 'Block',
  CdtTrfTxInf: 'Transaction',
};

function sequence(name: string, elements: string): string {
  const members = elements.split(' ').map((element) => {
    const own = element.replace(/[?*+]$/, '');
    const least = /[?*]$/.test(element) ? 0 : 1;
    const most = /[*+]$/.test(element) ? 'unbounded' : 1;
    return `<xs:element name="${own}" type="${TYPES[own] ?? 'Anything'}" minOccurs="${least}" maxOccurs="${most}"/>`;
  });
  return `<xs:complexType name="${name}"><xs:sequence>${members.join('')}</xs:sequence></xs:complexType>`;
}

function schemaOf(version: string): string {
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${version}`;
  return [
    `<xs:schema xmlns="${namespace}" xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="${namespace}" elementFormDefault="qualified">`,
    '<xs:element name="Document" type="Document"/>',
    '<xs:complexType name="Anything" mixed="true"><xs:sequence><xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/></xs:sequence><xs:anyAttribute processContents="skip"/></xs:complexType>',
    '<xs:simpleType name="Identifier"><xs:restriction base="xs:string"><xs:minLength value="1"/><xs:maxLength value="35"/></xs:restriction></xs:simpleType>',
    '<xs:simpleType name="Count"><xs:restriction base="xs:string"><xs:pattern value="[0-9]{1,15}"/></xs:restriction></xs:simpleType>',
    '<xs:simpleType name="Sum"><xs:restriction base="xs:decimal"><xs:fractionDigits value="17"/><xs:totalDigits value="18"/></xs:restriction></xs:simpleType>',
    '<xs:complexType name="Document"><xs:sequence><xs:element name="CstmrCdtTrfInitn" type="Initiation"/></xs:sequence></xs:complexType>',
    sequence('Initiation', 'GrpHdr PmtInf+ SplmtryData*'),
    sequence('Header', HEADER),
    sequence('Block', BLOCK),
    sequence('Transaction', TRANSACTION),
    '</xs:schema>',
  ].join('');
}

/**
 * Checks the elements of a payment file that change when payments are removed: which elements there are, in which
 * order, and the form of their identifiers, counts and sums. Throws if a bank would refuse the file.
 */
export function checkStructure(version: string, bytes: Uint8Array): void {
  const schema = XmlDocument.fromString(schemaOf(version));
  const validator = XsdValidator.fromDoc(schema);
  const document = XmlDocument.fromBuffer(bytes);
  try {
    validator.validate(document);
  } finally {
    document.dispose();
    validator.dispose();
    schema.dispose();
  }
}
