// Exit code 0 while the process answers. Docker runs it; /readyz is for load balancers, which take no work away for good.
const port = process.env.GATEHOUSE_PORT || '3000';
const { ok, status } = await fetch(`http://127.0.0.1:${port}/healthz`, {
  signal: AbortSignal.timeout(4_000),
});
if (!ok) throw new Error(`/healthz answered ${status}.`);
