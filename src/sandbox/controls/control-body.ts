import * as z from 'zod/mini';
import { describe } from '../../service/schema';
import { SandboxError } from '../model/records';
import { text } from '../text';

/** Reads the body of a control call. @throws `SandboxError` for one that is not JSON, or does not fit */
export function parseControlBody<Options>(schema: z.ZodMiniType<Options>, body: string): Options {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch {
    throw new SandboxError('invalid', ...text('refused.notJson'));
  }
  return parseControl(schema, given);
}

/** @throws `SandboxError` that names each field that is wrong or unknown, and what is expected there */
export function parseControl<Options>(schema: z.ZodMiniType<Options>, given: unknown): Options {
  const result = z.safeParse(schema, given, { error: describeControl });
  if (result.success) return result.data;
  const problems = result.error.issues
    .flatMap(withinUnion)
    .map(({ path, message }) => `${path.map(String).join('.') || 'body'}: ${message}`);
  throw new SandboxError('invalid', `${problems.join('; ')}.`);
}

/** For a value of a union, the issues with the type that it has. If it has none of the types, the issue says so. */
function withinUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const ofItsType = issue.errors.find(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  return ofItsType?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

/** The sandbox serves a developer, so its messages may name the field, kind or value that was sent. */
function describeControl(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map((key) => `\`${key}\``).join(', ');
    return `unknown field ${names}, ${knownFields(issue.inst)}`;
  }
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) {
    return `${unknownWord(issue.input, issue.discriminator)}, expected ${unionMarks(issue.inst, issue.discriminator)}`;
  }
  if (issue.code === 'invalid_value' && typeof issue.input === 'string') {
    return `unknown value \`${issue.input}\`, expected ${issue.values.map(String).join(' or ')}`;
  }
  if (issue.code === 'too_small') return `expected ${issue.minimum} or more`;
  return describe(issue);
}

function knownFields(inst: unknown): string {
  const { def } = (inst as z.core.$ZodObject)._zod;
  const names = Object.keys(def.shape);
  return names.length === 0 ? 'expected none' : `expected one of ${names.join(', ')}`;
}

function unknownWord(input: unknown, discriminator: string): string {
  const value = (input as Record<string, unknown>)[discriminator];
  return value === undefined ? 'missing' : `unknown ${discriminator} \`${String(value)}\``;
}

function unionMarks(inst: unknown, discriminator: string): string {
  const { options } = (inst as z.core.$ZodDiscriminatedUnion)._zod.def;
  return options
    .map((option) => {
      const mark = (option as z.core.$ZodObject)._zod.def.shape[discriminator] as z.core.$ZodLiteral;
      return mark._zod.def.values.join(' or ');
    })
    .join(', ');
}
