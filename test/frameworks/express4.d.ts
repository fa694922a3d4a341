// Express 4 beside 5. What is used of it here is the same in both.
declare module 'express4' {
  export { default } from 'express';
}
