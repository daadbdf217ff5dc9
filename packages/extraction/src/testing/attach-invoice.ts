import { PDFDocument, PDFName } from 'pdf-lib';

/** Returns the PDF with an XML invoice attached, and with metadata that declare its profile. */
export async function attachInvoice(pdf: Uint8Array, xml: string, conformanceLevel: string): Promise<Uint8Array> {
  const document = await PDFDocument.load(pdf);
  await document.attach(Buffer.from(xml), 'factur-x.xml', { mimeType: 'text/xml' });
  const metadata = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:fx="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"><fx:ConformanceLevel>${conformanceLevel}</fx:ConformanceLevel></rdf:Description></rdf:RDF></x:xmpmeta>`;
  const stream = document.context.stream(metadata, { Type: 'Metadata', Subtype: 'XML' });
  document.catalog.set(PDFName.of('Metadata'), document.context.register(stream));
  return document.save();
}
