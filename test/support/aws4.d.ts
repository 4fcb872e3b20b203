/** What tests use of aws4, which brings no types. */
declare module 'aws4' {
  interface SignedRequest {
    headers: Record<string, string | number>;
  }
  const aws4: {
    sign(
      request: {
        host: string;
        method: string;
        path: string;
        headers: Record<string, string>;
        body?: string;
        service: string;
        region: string;
        /** Left out of the signature. */
        extraHeadersToIgnore?: Record<string, boolean>;
      },
      credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string },
    ): SignedRequest;
  };
  export default aws4;
}
