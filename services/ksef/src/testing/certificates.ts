import { X509Certificate } from 'node:crypto';
import { simulatorControl } from './simulator-control.js';

/** Wishes for a certificate of the simulator; see `POST /control/certificates`. */
export interface CertificateWishes {
  readonly nip?: string;
  readonly pesel?: string;
  readonly type?: 'Authentication' | 'Offline';
  readonly days?: number;
  readonly key?: 'EC' | 'RSA';
  readonly password?: string;
}

export interface TestCertificate {
  readonly serialNumber: string;
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly privateKey: string;
}

/** Has an environment of the simulator issue a certificate. @param environmentUrl such as `${simulator.url}/test` */
export async function issueCertificate(environmentUrl: string, wishes: CertificateWishes): Promise<TestCertificate> {
  return simulatorControl(() => environmentUrl)<TestCertificate>('POST', 'certificates', wishes);
}

/** DER in base64. */
export function toDer(pem: string): string {
  return new X509Certificate(pem).raw.toString('base64');
}
