"""The published kinds of secrets, by their forms, as forges and scanners list them; every value is
made up while the program runs.

    python -m tests.adapters.redaction.kinds [RULES.toml|RULES.json …]

prints how many kinds the rules catch (without names: those that ship), and which they miss.
"""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Iterator, Mapping
from random import Random

from adapters import redaction

_LOWER = string.ascii_lowercase
_ALPHABETS = {
    "A": string.ascii_letters + string.digits,  # letters and digits
    "a": _LOWER + string.digits,
    "l": _LOWER,
    "L": string.ascii_letters,
    "H": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "U": string.ascii_uppercase + string.digits,
    "T": string.ascii_uppercase + "234567",  # base32
    "D": string.digits,
    "B": string.ascii_letters + string.digits + "_-",
    "S": string.ascii_letters + string.digits + "+/",
}
_PART = re.compile(r"\{([AalLHXUTDBS])(\d+)\}")
FORMS = """
1password-secret-key=A3-{U6}-{U11}-{U5}-{U5}-{U5}
1password-service-account=ops_eyJ{S260}
adafruit-io-key=aio_{A28}
adobe-client-secret=p8e-{a32}
adobe-oauth-secret=ADOBE_SECRET=p8e-{B32}
age-secret-key=AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE6
airtable-personal-token=pat{A14}.{H64}
airtable-api-key=AIRTABLE_API_KEY=key{A14}
aiven-service-password=AVNS_{A19}
aiven-auth-token=AIVEN_TOKEN={S372}
algolia-api-key=ALGOLIA_API_KEY="{H32}"
alibaba-access-key=LTAI{a20}
alibaba-secret=ALIBABA_SECRET_KEY="{A30}"
amazon-mws-token=amzn.mws.{H8}-{H4}-{H4}-{H4}-{H12}
amazon-oauth-secret=amzn1.oa2-cs.v1.{H64}
anthropic-api-key=sk-ant-api03-{B93}AA
anthropic-admin-key=sk-ant-admin01-{B93}AA
apify-token=apify_api_{A36}
artifactory-api-key=AKCp{A69}
artifactory-token=cmVmd{A59}
asana-personal-token=ASANA_ACCESS_TOKEN=1/{D16}:{H32}
asana-secret=asana_client_secret = "{a32}"
atlassian-api-token=ATATT3{B186}
atlassian-legacy=JIRA_API_TOKEN={A24}
authress-key=sc_{a10}.{a5}.acc-{a11}.{S40}
aws-access-key=AKIA{T16}
aws-session-key=ASIA{T16}
aws-secret-key=aws_secret_access_key = "{S40}"
aws-bedrock-key=ABSK{S110}
azure-ad-secret='{A3}8Q~{A34}'
azure-storage-key=AccountKey={S86}==
azure-devops-token=AZURE_DEVOPS_TOKEN={a52}
azure-function-key=https://x.azurewebsites.net/api/f?code={B54}==
azure-cosmosdb-key=AccountEndpoint=https://x.documents.azure.com;AccountKey={S86}==
azure-service-bus=SharedAccessKey={S43}=
beamer-token=beamer_token = "b_{a44}"
bitbucket-client-secret=bitbucket_client_secret = "{A64}"
bitbucket-app-password=ATBB{A32}
bitly-token=BITLY_ACCESS_TOKEN={H40}
brevo-api-key=xkeysib-{H64}-{A16}
brevo-smtp-key=xsmtpsib-{H64}-{A16}
buildkite-token=bkua_{H40}
bunny-api-key=BUNNY_API_KEY={H8}-{H4}-{H4}-{H4}-{H12}
canadian-digital-key=gcntfy-x-{H8}-{H4}-{H4}-{H4}-{H12}
cerebras-key=csk-{a48}
checkout-secret-key=sk_test_{H8}-{H4}-{H4}-{H4}-{H12}
cargo-token=cio{A32}
circleci-token=CCIPRJ_{A22}_{H40}
circleci-user-token=CIRCLECI_TOKEN={H40}
clickhouse-secret=4b1d{A38}
clojars-token=CLOJARS_{H60}
cloudflare-api-key=cloudflare_api_key = "{H37}"
cloudflare-token=CLOUDFLARE_API_TOKEN={B40}
cloudflare-origin-key=v1.0-{H24}-{H146}
cloudinary=cloudinary://{D15}:{B27}@name
codecov-token=CODECOV_TOKEN={H8}-{H4}-{H4}-{H4}-{H12}
cohere-key=COHERE_API_KEY={A40}
coinbase-token=coinbase_token = "{B64}"
confluent-secret=confluent_secret = "{a64}"
contentful-token=CFPAT-{B43}
contentful-delivery=contentful_token = "{B43}"
cratesio-token=cio{A32}
databricks-token=dapi{H32}
datadog-api-key=DATADOG_API_KEY="{H32}"
datadog-app-key=datadog_app_key = "{H40}"
deepseek-key=DEEPSEEK_API_KEY=sk-{H32}
defined-networking=dnkey-{B26}-{B52}
devcycle-key=dvc_server_{B40}
digitalocean-pat=dop_v1_{H64}
digitalocean-oauth=doo_v1_{H64}
digitalocean-refresh=dor_v1_{H64}
discord-bot-token=M{A23}.G{A5}.{B38}
discord-webhook=https://discord.com/api/webhooks/{D18}/{B68}
discord-secret=discord_client_secret = "{B32}"
docker-pat=dckr_pat_{B27}
docker-oat=dckr_oat_{B32}
docker-swarm-join=SWMTKN-1-{a50}-{a25}
doppler-token=dp.pt.{A43}
doppler-service=dp.st.dev.{A43}
droneci-token=droneci_token = "{a32}"
dropbox-short=sl.{B136}
dropbox-long=dropbox_token = "{a11}AAAAAAAAAA{B43}"
duffel-token=duffel_live_{B43}
dynatrace-token=dt0c01.{U24}.{U64}
easypost-token=EZAK{A54}
easypost-test=EZTK{A54}
elastic-api-key=ELASTIC_API_KEY={S60}==
etsy-token=etsy_token = "{a24}"
facebook-token=EAACEdEose0cBA{A160}
facebook-page-token=EAAM{A160}
fastly-token=fastly_token = "{B32}"
figma-token=figd_{B40}
finicity-token=finicity_token = "{H32}"
finnhub-token=finnhub_token = "{a20}"
fireworks-key=fw_{A24}
flickr-token=flickr_token = "{a32}"
flutterwave-key=FLWSECK_TEST-{H32}-X
flutterwave-live=FLWSECK-{H32}-X
flyio-token=FlyV1 fm2_{S120}
frameio-token=fio-u-{B64}
freshbooks-token=freshbooks_token = "{a64}"
gandi-key=GANDI_API_KEY={A24}
gcp-api-key=AIza{B35}
gcp-oauth-secret=GOCSPX-{B28}
gcp-oauth-token=ya29.{B120}
ghost-key=ghost_api_key = "{H24}:{H64}"
github-pat=ghp_{A36}
github-oauth=gho_{A36}
github-app=ghs_{A36}
github-user-to-server=ghu_{A36}
github-refresh=ghr_{A76}
github-fine-grained=github_pat_{A22}_{A59}
gitlab-pat=glpat-{B20}
gitlab-routable-pat=glpat-{B27}.{a2}.{a7}
gitlab-deploy=gldt-{B20}
gitlab-runner=glrt-{B20}
gitlab-trigger=glptt-{H40}
gitlab-ci-job=glcbt-{A5}_{B20}
gitlab-feed=glft-{B20}
gitlab-agent=glagent-{B50}
gitlab-scim=glsoat-{B20}
gitlab-oauth-secret=gloas-{B64}
gitter-token=gitter_token = "{B40}"
gocardless-token=live_{B40}
google-recaptcha=RECAPTCHA_SECRET_KEY=6L{B38}
grafana-service=glsa_{A32}_{X8}
grafana-cloud=glc_{S88}
grafana-api-key=eyJrIjoi{S72}
groq-key=gsk_{A52}
harness-pat=pat.{B22}.{H24}.{A20}
hashicorp-terraform={A14}.atlasv1.{B67}
vault-service=hvs.{B95}
vault-batch=hvb.{B150}
heroku-key=HRKU-AA{B58}
heroku-legacy=HEROKU_API_KEY={H8}-{H4}-{H4}-{H4}-{H12}
honeycomb-key=hcaik_{a58}
hubspot-pat=pat-na1-{H8}-{H4}-{H4}-{H4}-{H12}
hubspot-key=hubspot_api_key = "{X8}-{X4}-{X4}-{X4}-{X12}"
huggingface-token=hf_{L34}
huggingface-org=api_org_{L34}
ibm-cloud-key=IBM_CLOUD_API_KEY={B44}
infracost-token=ico-{A32}
intercom-token=intercom_token = "{B60}"
intra42-secret=s-s4t2ud-{H64}
ionic-token=ion_{a42}
jfrog-key=jfrog_token = "{a73}"
jwt=eyJhbGciOiJIUzI1NiJ9.eyJ{A40}.{B43}
kraken-token=kraken_token = "{B80}"
kubernetes-token=eyJhbGciOiJSUzI1NiIsImtpZCI6{B40}.eyJ{B200}.{B342}
langchain-key=lsv2_pt_{H32}_{H10}
langfuse-key=sk-lf-{H8}-{H4}-{H4}-{H4}-{H12}
launchdarkly-token=api-{H8}-{H4}-{H4}-{H4}-{H12}
launchdarkly-sdk=sdk-{H8}-{H4}-{H4}-{H4}-{H12}
linear-key=lin_api_{A40}
linear-oauth=lin_oauth_{H64}
linkedin-secret=linkedin_client_secret = "{a16}"
lob-live=live_{H35}
lob-test=lob_api_key = "test_{H35}"
looker-secret=looker_secret = "{A24}"
mailchimp-key={H32}-us12
mailgun-key=key-{H32}
mailgun-private=mailgun_token = "key-{H32}"
mailgun-signing=mailgun_signing_key = "{H32}-{H8}-{H8}"
mapbox-token=sk.eyJ{A82}.{B22}
mapbox-public=mapbox_token = "pk.{a60}.{a22}"
mattermost-token=mattermost_token = "{a26}"
maxmind-key={A6}_{A29}_mmk
messagebird-token=messagebird_token = "{a25}"
microsoft-teams=https://x.webhook.office.com/webhookb2/{H8}-{H4}-{H4}-{H4}-{H12}@{H8}-{H4}-{H4}-{H4}-{H12}/IncomingWebhook/{H32}/{H8}-{H4}-{H4}-{H4}-{H12}
midtrans-key=Mid-server-{B24}
mistral-key=MISTRAL_API_KEY={A32}
mongodb-uri=mongodb+srv://user:{A20}@cluster0.ab1cd.mongodb.net/db
mysql-uri=mysql://root:{A16}@db.internal:3306/app
netlify-token=netlify_token = "{B44}"
netlify-pat=nfp_{A36}
newrelic-key=NRAK-{U27}
newrelic-license={H36}NRAL
newrelic-browser=NRJS-{H19}
newrelic-insert=NRII-{B32}
ngrok-key=NGROK_AUTHTOKEN={A27}_{A21}
notion-token=ntn_{D11}{A35}
notion-secret=secret_{A43}
npm-token=npm_{A36}
nuget-key=oy2{a43}
nvidia-key=nvapi-{B64}
nytimes-token=nytimes_token = "{B32}"
octopus-key=API-{U26}
okta-token=okta_token = "00{B40}"
onfido-token=api_live.{A10}.{B32}
openai-key=sk-{A20}T3BlbkFJ{A20}
openai-project=sk-proj-{B74}T3BlbkFJ{B74}
openrouter-key=sk-or-v1-{H64}
openshift-token=sha256~{B43}
openweather-key=OPENWEATHER_API_KEY={H32}
packagist-token=packagist_ort_{H68}
pagerduty-key=PAGERDUTY_API_KEY=u+{B18}
paypal-braintree=access_token$production${a16}${H32}
perplexity-key=pplx-{A48}
pgp-key=-----BEGIN PGP PRIVATE KEY BLOCK-----|{S64}|{S64}|-----END PGP PRIVATE KEY BLOCK-----
pinecone-key=pcsk_{A6}_{A63}
plaid-secret=plaid_secret = "{H30}"
plaid-token=access-production-{H8}-{H4}-{H4}-{H4}-{H12}
planetscale-password=pscale_pw_{B43}
planetscale-token=pscale_tkn_{B43}
planetscale-oauth=pscale_oauth_{B43}
polar-token=polar_pat_{A43}
postgres-uri=postgresql://app:{A16}@db.internal/app
posthog-key=phx_{A43}
postman-key=PMAK-{H24}-{H34}
prefect-key=pnu_{a36}
privateai-token=privateai_token = "{a32}"
pubnub-secret=sec-c-{S68}
pulumi-token=pul-{H40}
pypi-token=pypi-AgEIcHlwaS5vcmc{B70}
rapidapi-token=rapidapi_token = "{B50}"
readme-token=rdme_{a70}
replicate-token=r8_{A37}
resend-key=re_{A8}_{A24}
rootly-key=rootly_{H64}
rsa-private-key=-----BEGIN RSA PRIVATE KEY-----|{S64}|{S64}|{S64}|-----END RSA PRIVATE KEY-----
rubygems-key=rubygems_{H48}
runpod-key=rpa_{U46}
samsara-token=samsara_api_{A30}
scaleway-key=SCW{U17}
scalingo-token=tk-us-{B48}
segment-token=sgp_{A64}
sendbird-token=sendbird_token = "{H40}"
sendgrid-key=SG.{B22}.{B43}
sendinblue-key=xkeysib-{H64}-{A16}
sentry-token=sentry_token = "{H64}"
sentry-org=sntrys_eyJpYXQiO{S80}LCJyZWdpb25fdXJs{S20}_{S43}
sentry-user=sntryu_{H64}
settlemint-token=sm_pat_{A16}
shippo-token=shippo_live_{H40}
shopify-token=shpat_{H32}
shopify-custom=shpca_{H32}
shopify-private=shppa_{H32}
shopify-secret=shpss_{H32}
sidekiq-secret=BUNDLE_ENTERPRISE__CONTRIBSYS__COM={H8}:{H8}
slack-bot=xoxb-{D12}-{D12}-{A24}
slack-user=xoxp-{D12}-{D12}-{D12}-{H32}
slack-app=xapp-1-A{U10}-{D13}-{H64}
slack-config=xoxe.xoxp-1-{A166}
slack-refresh=xoxe-1-{A146}
slack-webhook=https://hooks.slack.com/services/T{U8}/B{U10}/{A24}
snyk-token=SNYK_TOKEN={H8}-{H4}-{H4}-{H4}-{H12}
sonar-token=squ_{H40}
sourcegraph-token=sgp_{H16}_{H40}
square-token=EAAAE{B59}
square-secret=sq0csp-{B43}
squarespace-token=squarespace_token = "{H8}-{H4}-{H4}-{H4}-{H12}"
ssh-private-key=-----BEGIN OPENSSH PRIVATE KEY-----|{S70}|{S70}|-----END OPENSSH PRIVATE KEY-----
statsig-key=secret-{A43}
stripe-live=sk_live_{A24}
stripe-test=sk_test_{A24}
stripe-restricted=rk_live_{A24}
stripe-webhook=whsec_{A32}
sumologic-key=sumo_access_token = "{a64}"
supabase-token=sbp_{H40}
supabase-secret=sb_secret_{B22}_{B8}
tailscale-key=tskey-auth-{A12}CNTRL-{A32}
tavily-key=tvly-dev-{A32}
telegram-token={D10}:AA{B33}
telnyx-key=KEY{U32}_{A22}
tencent-key=AKID{A32}
together-key=tgp_v1_{B43}
travis-token=travisci_token = "{a22}"
trello-token=ATTA{H64}
twilio-key=SK{H32}
twitch-token=twitch_token = "{a30}"
twitter-bearer=twitter_bearer_token = "AAAAAAAAAAAAAAAAAAAAAA{A80}"
twitter-secret=twitter_secret = "{a50}"
typeform-token=tfp_{B59}
uptimerobot-key=ur{D7}-{H24}
vercel-token=vcp_{A56}
voyage-key=pa-{B43}
wakatime-key=waka_{H8}-{H4}-{H4}-{H4}-{H12}
weights-biases-key=WANDB_API_KEY={H40}
workos-key=sk_live_{A60}
xai-key=xai-{A80}
yandex-key=AQVN{B35}
yandex-token=t1.{B86}.{B86}
yandex-cloud=y0_{B55}
zapier-webhook=https://hooks.zapier.com/hooks/catch/{D7}/{a7}/
zendesk-key=zendesk_secret = "{a40}"
zuplo-key=zpka_{a32}_{H8}
"""


def kinds() -> Mapping[str, str]:
    """Returns the form of each kind."""
    return dict(line.split("=", 1) for line in FORMS.strip().split("\n"))


def made(form: str, chance: Random) -> tuple[str, tuple[str, ...]]:
    """Returns a text of a form, and its drawn parts."""
    drawn: list[str] = []

    def draw(part: re.Match[str]) -> str:
        drawn.append("".join(chance.choice(_ALPHABETS[part[1]]) for _ in range(int(part[2]))))
        return drawn[-1]

    return _PART.sub(draw, form).replace("|", "\n"), tuple(drawn)


def missed(each: int = 20) -> Iterator[str]:
    """Yields the kinds of which a made value passes, with the longest drawn part in it."""
    for name, form in kinds().items():
        chance = Random(name)
        for _ in range(each):
            text, drawn = made(form, chance)
            longest = max(drawn, key=len, default=text)
            if longest in redaction.redact(f"x = 1\n{text}\ny = 2\n")[0]:
                yield name
                break


def main(*names: str) -> None:
    if names:
        vars(redaction)["_RULE_FILES"] = names
    passing = list(missed())
    print(f"{len(kinds()) - len(passing)} of {len(kinds())} kinds are caught")
    print("pass:", ", ".join(passing) or "none")


if __name__ == "__main__":
    main(*sys.argv[1:])
