/**
 * For a merchant's tests, with any test runner. Nothing here is for production.
 *
 * @module pix-automatic-sdk/testing
 */

export { basicAuthorization } from '../webhooks/authorization';
export { crashBeforeCommit } from './crash-before-commit';
export { type FakeClock, fakeClock } from './fake-clock';
export { fixtures } from './fixtures/fixtures';
export type { PaymentPayload } from './fixtures/notifications';
export { type MockService, mockService } from './mock-service';
export { notificationRequest } from './notification-request';
export { type OrdersParts, type TestOrders, testOrders } from './test-orders';
