import type { Command } from '../command';
import { demo } from './demo';
import { explain } from './explain';
import { fault } from './fault';
import { list } from './list';
import { pay } from './pay';
import { payOut } from './pay-out';
import { readQr } from './read-qr';
import { refund } from './refund';
import { resend } from './resend';
import { reverse } from './reverse';
import { sandbox } from './sandbox';
import { trigger } from './trigger';
import { verify } from './verify';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  demo,
  sandbox,
  pay,
  refund,
  reverse,
  payOut,
  list,
  resend,
  fault,
  trigger,
  verify,
  explain,
  readQr,
];
