import { resolve } from 'node:path';
import ts from 'typescript';
import tsconfig from '../../tsconfig.json' with { type: 'json' };

/** A public export or a member of one, for which an editor can show a hover text. */
export interface Member {
  /** `PaymentsClientOptions.timeoutMs`, for example, or `PaymentsClientOptions` itself. */
  readonly name: string;
  readonly declaration: ts.Declaration;
  readonly isOptional: boolean;
  /** As `tsc` would write it. */
  readonly type: string;
}

const entries = Object.values(tsconfig.compilerOptions.paths).map(([source]) => resolve(source as string));

/** Every export of every entry, with every member of its type, including inherited ones and those of inner objects. */
export function publicMembers(program: ts.Program): Member[] {
  const checker = program.getTypeChecker();
  const seen = new Set<ts.Type>();
  const members = new Map<ts.Declaration, Member>();
  const exported = new Set(entries.flatMap((entry) => exportsOf(entry, program)));

  const visit = (type: ts.Type, name: string): void => {
    if (seen.has(type)) return;
    seen.add(type);
    if (type.isUnionOrIntersection()) for (const part of type.types) visitInner(part, name);
    for (const item of checker.getTypeArguments(type as ts.TypeReference)) visitInner(item, name);
    for (const signature of type.getCallSignatures()) visitInner(signature.getReturnType(), `${name}()`);
    for (const property of checker.getPropertiesOfType(type)) visitProperty(property, name);
  };

  /** Skips an exported type, which is visited under its own name. */
  const visitInner = (type: ts.Type, name: string): void => {
    const { symbol, aliasSymbol = symbol } = type;
    if (!exported.has(aliasSymbol)) visit(type, name);
  };

  const visitProperty = (property: ts.Symbol, owner: string): void => {
    for (const declaration of property.declarations ?? []) {
      if (!isOurs(declaration) || members.has(declaration)) continue;
      const name = `${ownerOf(declaration) ?? owner}.${property.name}`;
      const type = checker.getTypeOfSymbol(property);
      add(property, declaration, name, type);
      visitInner(checker.getNonNullableType(type), name);
    }
  };

  const add = (symbol: ts.Symbol, declaration: ts.Declaration, name: string, type: ts.Type): void => {
    const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    members.set(declaration, { name, declaration, isOptional, type: checker.typeToString(type) });
  };

  for (const symbol of exported) {
    const types = [checker.getDeclaredTypeOfSymbol(symbol), checker.getTypeOfSymbol(symbol)];
    for (const declaration of symbol.declarations ?? [])
      add(symbol, declaration, symbol.name, types[1] as ts.Type);
    for (const type of types) visit(type, symbol.name);
  }
  return [...members.values()];
}

/** The class or interface that declares a member; `undefined` for a member of an inner object. */
function ownerOf({ parent }: ts.Declaration): string | undefined {
  return ts.isClassDeclaration(parent) || ts.isInterfaceDeclaration(parent) ? parent.name?.text : undefined;
}

/** Whether it is written in `src` with a plain name: not the platform's, not a `#private` field, not a symbol. */
function isOurs(declaration: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(declaration);
  if (name === undefined || ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name)) return false;
  return declaration.getSourceFile().fileName.startsWith(resolve('src'));
}

function exportsOf(entry: string, program: ts.Program): ts.Symbol[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${entry} is not part of the program.`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}
