import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate and its key, as `node:tls` takes them. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority for tests, made when it is first needed and forgotten with the process. */
export interface TestAuthority {
  /** The certificate that a client has to trust. */
  readonly ca: string;
  issue(options?: IssueOptions): Promise<Certificate>;
}

interface IssueOptions {
  /** Host names and addresses the certificate is for. */
  readonly names?: readonly string[];
  /** In days from now. */
  readonly validFrom?: number;
  readonly validUntil?: number;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

export async function createAuthority(commonName: string): Promise<TestAuthority> {
  const keys = await generateKeys();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    notBefore: inDays(-3650),
    notAfter: inDays(3650),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    ca: authority.toString('pem'),
    async issue({ names = LOOPBACK, validFrom = -1, validUntil = 30 } = {}) {
      const own = await generateKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${names[0]}`,
        issuer: authority.subject,
        notBefore: inDays(validFrom),
        notAfter: inDays(validUntil),
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [subjectAlternativeNames(names)],
      });
      return { key: await toPem(own.privateKey), cert: certificate.toString('pem') };
    },
  };
}

/** A certificate that no authority has signed. */
export async function createSelfSigned(): Promise<Certificate> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=127.0.0.1',
    notBefore: inDays(-1),
    notAfter: inDays(30),
    keys,
    signingAlgorithm: algorithm,
    extensions: [subjectAlternativeNames(LOOPBACK)],
  });
  return { key: await toPem(keys.privateKey), cert: certificate.toString('pem') };
}

const LOOPBACK = ['127.0.0.1', 'localhost'];

function subjectAlternativeNames(names: readonly string[]): x509.SubjectAlternativeNameExtension {
  return new x509.SubjectAlternativeNameExtension(
    names.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value })),
  );
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function toPem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * 86_400_000);
}
