/**
 * A self-signed certificate for 127.0.0.1 and its key. No client trusts it. It is committed, so that the tests
 * need no openssl, and valid for a hundred years. Made by
 *
 *     openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 \
 *       -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem
 */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSWps9X2NlH4pN9je
idfhenk80D0Cvq2rzQNcPDvICGGhRANCAATuuoX2bj+Wyav+XIiD3aaIfroI8VC4
mGQMc4O9CbkpLOYQEClJOw3cp43rTC+UIi0BF7ovb1wdkXyPmp4kz7xS
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBkTCCATagAwIBAgIUD/92xiEcp9TO5KleEgIXlI0h9NYwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyMTAzNDEzNFoYDzIxMjYxMDI4
MDM0MTM0WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATuuoX2bj+Wyav+XIiD3aaIfroI8VC4mGQMc4O9CbkpLOYQEClJOw3c
p43rTC+UIi0BF7ovb1wdkXyPmp4kz7xSo2QwYjAdBgNVHQ4EFgQUBTEPj2oDInTN
oSiVfeXvD1kQAA0wHwYDVR0jBBgwFoAUBTEPj2oDInTNoSiVfeXvD1kQAA0wDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
IQDAdRrPtnHoINU5uFZdqjF9ZPqadihtX83fo9F2Qp1YogIhAMM1y6609WuY/MMH
R+JYc9mASZFIYelxMVcCpxalMRgG
-----END CERTIFICATE-----`,
};
