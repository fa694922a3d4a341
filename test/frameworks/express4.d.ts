// Express 4, installed beside Express 5. The tests use only what is the same in both.
declare module 'express4' {
  export { default } from 'express';
}
