import type { Credentials } from '../../service/credentials';
import type { SandboxClient } from '../sandbox-client';
import type { Row } from './judge';
import type { Sales } from './sales';
import type { Sender } from './send';
import type { Outcome, Step } from './step';
import type { Hold } from './without-trace';

/** What the groups of the script work with. Nothing in it is changed by them. */
export interface World {
  readonly url: string;
  readonly credentials: Credentials;
  readonly limitMs: number;
  readonly sales: Sales;
  readonly sender: Sender;
  readonly sandbox: SandboxClient | undefined;
  readonly shop?: URL | undefined;
  readonly restart?: (() => Promise<void>) | undefined;
  /** Whether `--effects` is there. */
  readonly hasEffects: boolean;
  /** Does what leaves a trace until it is whole. */
  readonly hold: Hold;
  /** What every step so far has found. */
  readonly outcomes: readonly Outcome[];
  /** Reads `--effects` once more, and takes what is there for what was there before the next step. */
  readRows(): Promise<readonly Row[]>;
}

/** A part of the script: it yields steps, and gets what each of them has found. */
export type Script<Result = void> = AsyncGenerator<Step, Result, Outcome>;
