/**
 * `tools/call`: finds the tool in the selection, runs it through the executor, renders the result.
 *
 * Holds no rules about accounts, input or providers: the executor has them all. Every failure of a call is a
 * result that the model sees; only an unknown tool and a foreign request state are protocol errors.
 */
import { renderPassed } from './passed-result.ts';
import { catalogIn } from '../catalog/model/environment-catalog.ts';
import type { CallToolRequestParams, CallToolResult, TextContent } from '@modelcontextprotocol/server';
import { AccountNotActive } from '../accounts/not-active.ts';
import { withCurrentNames } from '../catalog/model/aliases.ts';
import { inputViolations } from '../catalog/call/input.ts';
import { isLeftOut, type MendedInput } from '../catalog/call/mended-input.ts';
import type { Tool } from '../catalog/model/types.ts';
import { invalidArgument, notFound, ServiceError } from '../core/errors.ts';
import type { ExecuteCall, UsedAccount } from '../executor/executor.ts';
import { joinedPages, withLargePages } from './results/all-pages.ts';
import { connectPrompt, connectQuestion } from './connect-prompt.ts';
import { callDiscoveryTool } from './discovery.ts';
import { splitView, type ResultView } from './results/result-parameters.ts';
import { COERCED_META_KEY } from './result-blocks.ts';
import { ACCOUNT_META_KEY, accountMeta, renderResult } from './result.ts';
import type { Arguments, CallContext, ToolAnswer, WantedTool } from './session.ts';
import { callOwnTool, ownToolNamed } from './own-tools.ts';
import { INVALID_PARAMS, ProtocolError } from './protocol-error.ts';
import { hasOwnAccountParameter } from './published-tools.ts';
import { errorTexts, toolErrorResult } from './tool-error.ts';
import { isKept, shownTools } from './tool-forms.ts';
import { unknownToolAdvice, wantedTool } from './tool-names.ts';
import { withSources } from './value-sources.ts';

/** Maximum length of a tool name in the protocol; messages repeat no more of it. */
const MAX_NAME = 128;

/** @throws ProtocolError -32602 for a tool that is not part of the selection */
export async function callTool(call: CallContext, params: CallToolRequestParams): Promise<ToolAnswer> {
  const { parts, session, client } = call;
  const args: Arguments = params.arguments ?? {};
  const extra = parts.extraTools?.find((tool) => tool.definition.name === params.name);
  if (extra !== undefined && client !== undefined) return extra.call(args, client.ctx, client.states);
  const { selected } = session.publishedTools;
  const own = ownToolNamed(selected.own, params.name);
  if (own !== undefined) return callOwnTool(call, own, args);
  const answer = selected.discovery ? await callDiscoveryTool(call, params.name, args, runTool) : undefined;
  if (answer !== undefined) return answer;
  const wanted = wantedTool(session.publishedTools, params.name, args);
  if (wanted !== undefined) return runTool(call, wanted);
  const shown = await shownTools(parts, session, selected.tools);
  const advice = unknownToolAdvice(shown, params.name, selected.unlisted);
  throw new ProtocolError(
    INVALID_PARAMS,
    `Unknown tool: ${params.name.slice(0, MAX_NAME)}${advice === '' ? '' : `. ${advice}`}`,
  );
}

/** Runs a catalog tool. An account that is not connected becomes a question to the user. */
async function runTool(call: CallContext, wanted: WantedTool): Promise<ToolAnswer> {
  const { tool, args } = wanted;
  const outcome = await attempt(call, wanted);
  if (!(outcome instanceof AccountNotActive)) return outcome;
  const { client } = call;
  if (!('link' in outcome.connect) || client?.canOpenUrls() !== true) return connectPrompt(outcome);
  const question = connectQuestion(outcome, outcome.connect.link);
  const msLeft = Math.max(1_000, Date.parse(outcome.connect.expiry) - call.parts.clock.now());
  const asked = await client.askToConnect(
    question,
    { accountId: outcome.account.id, tool: tool.name, args },
    msLeft,
  );
  if (asked === 'asked-before') return connectPrompt(outcome);
  if (asked !== 'answered') return asked;
  const second = await attempt(call, wanted);
  return second instanceof AccountNotActive ? connectPrompt(second) : second;
}

/** One run. A missing connection is returned; every other failure has already become a result. */
async function attempt(
  call: CallContext,
  { tool, name, args }: WantedTool,
): Promise<CallToolResult | AccountNotActive> {
  const { parts, session, signal } = call;
  const { caller } = session;
  if (session.missingOwner !== undefined) return errorTexts(session.missingOwner);
  let used: UsedAccount | undefined;
  let mended: MendedInput | undefined;
  const noted = (result: CallToolResult): CallToolResult =>
    mended === undefined || mended.coerced.length === 0
      ? result
      : { ...result, _meta: { ...result._meta, [COERCED_META_KEY]: mended.coerced } };
  try {
    const { account, input: given, view } = splitArguments(tool, args);
    const input = view.isAllPages === true ? withLargePages(tool, given) : given;
    session.onCall?.();
    const execute = async (wanted: Pick<ExecuteCall, 'toolName' | 'input' | 'onMended' | 'deadline'>) =>
      parts.executor.execute({
        caller,
        account: {
          ...(account !== undefined && { account }),
          ...(session.connections !== undefined && { connections: session.connections }),
        },
        signal,
        onProgress: progressTo(call),
        onAccount: (chosen) => {
          used = chosen;
        },
        ...(session.traceparent !== undefined && { traceparent: session.traceparent }),
        ...wanted,
      });
    const result = await execute({
      toolName: name,
      input,
      onMended: (meant) => {
        mended = meant;
      },
    });
    if (tool.upstream !== undefined) return noted(renderPassed(result));
    const findTool = (other: string) => session.publishedTools.find(other);
    const answered = { tool, input: withCurrentNames(tool, mended?.input ?? input), findTool };
    const { data, nextLink } = result;
    const pages =
      view.isAllPages === true
        ? await joinedPages(
            {
              read: async (page, deadline) =>
                execute({ toolName: page.tool.name, input: page.input, onMended: () => {}, deadline }),
              failedTexts: (failure) => textsOf(failedResult(failure)),
              signal,
              clock: parts.clock,
            },
            { ...answered, data, nextLink },
            result,
          )
        : undefined;
    return noted(renderResult(answered, result, parts.maxResultBytes, view, pages));
  } catch (error) {
    if (error instanceof AccountNotActive) return error;
    // The answer to an invalid input says what the tool accepts.
    const isAboutInput = error instanceof ServiceError && error.code === 'INVALID_ARGUMENT';
    const isSecret = isAboutInput && (await isKept(parts, session, tool));
    const result = noted(failedResult(isSecret ? notFound('tool') : error));
    if (used === undefined) return result;
    return { ...result, _meta: { ...result._meta, [ACCOUNT_META_KEY]: accountMeta(used) } };
  }

  function failedResult(error: unknown): CallToolResult {
    if (error instanceof AccountNotActive) return connectPrompt(error);
    const failed = {
      toolName: tool.name,
      app: catalogIn(parts.catalog, caller.environmentId).connectors.get(tool.connector)?.title,
      environmentId: caller.environmentId,
      log: parts.log,
    };
    return toolErrorResult(withSources(error, tool, session.publishedTools), failed);
  }
}

/** Receives progress of a call; `undefined` if the client sent no progress token or cannot be notified. */
function progressTo({ client, parts }: CallContext): ExecuteCall['onProgress'] {
  const progressToken = client?.ctx.mcpReq._meta?.progressToken;
  if (client === undefined || progressToken === undefined) return undefined;
  return (progress) => {
    const params = { progressToken, ...progress };
    client.ctx.mcpReq
      .notify({ method: 'notifications/progress', params })
      // A client that has left gets no more progress.
      .catch((err: unknown) => parts.log.debug('mcp_progress_not_sent', { err }));
  };
}

function textsOf({ content }: CallToolResult): TextContent[] {
  return content.filter((block) => block.type === 'text');
}

/**
 * Splits `account` and the parameters for the form of the result off the arguments, even if the list did not show
 * them.
 */
function splitArguments(
  tool: Tool,
  args: Arguments,
): { account: string | undefined; input: Arguments; view: ResultView } {
  const { input: given, view, violations } = splitView(tool, args);
  const isNamed = !hasOwnAccountParameter(tool) && Object.hasOwn(given, 'account');
  const { account, ...others } = given;
  const input = isNamed ? others : given;
  const isAbsent = !isNamed || isLeftOut(tool, account);
  if (!isAbsent && (typeof account !== 'string' || account === ''))
    violations.unshift({
      field: 'account',
      description: 'Name one of your connected accounts, or leave it out.',
      constraint: 'type',
    });
  if (violations.length > 0) throw invalidArgument([...violations, ...inputViolations(tool, input)]);
  return { account: isAbsent ? undefined : String(account), input, view };
}
