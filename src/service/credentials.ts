/** What proves who you are to the service, and the service to you (document section 5). */
export interface Credentials {
  /** API authentication key: header `x-api-key`, and the user name of notifications (document section 5). */
  readonly apiKey: string;
  /** API authentication token: header `x-api-token`, and the password of notifications (document section 5). */
  readonly apiToken: string;
}
