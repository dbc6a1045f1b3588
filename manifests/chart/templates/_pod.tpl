{{- define "debatebot.name" -}}
{{- if contains "debatebot" .Release.Name -}}
{{ .Release.Name | trunc 48 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-debatebot" (.Release.Name | trunc 38 | trimSuffix "-") }}
{{- end -}}
{{- end -}}

{{/* What finds the pods of one part; no value of it ever changes. */}}
{{- define "debatebot.selector" -}}
app.kubernetes.io/name: debatebot
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end -}}

{{- define "debatebot.labels" -}}
{{ include "debatebot.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "debatebot.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Who the processes are, for a pod: no right on the cluster, no user of the node. */}}
{{- define "debatebot.identity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The image and what every container of it has. */}}
{{- define "debatebot.container" -}}
image: {{ include "debatebot.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
envFrom:
  - secretRef:
      name: {{ .root.Values.existingSecret | quote }}
{{- with merge (.env | default dict) .root.Values.env }}
env:
  {{- range $name, $value := . }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{/* The pod of a part that runs for weeks: `root`, `part`, `resources`, `drain`, `grace`, `env`. */}}
{{- define "debatebot.pod" -}}
metadata:
  labels:
    {{- include "debatebot.labels" . | nindent 4 }}
  {{- with .root.Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "debatebot.identity" .root | nindent 2 }}
  terminationGracePeriodSeconds: {{ .grace }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "debatebot.selector" . | nindent 10 }}
  containers:
    - name: {{ .part }}
      {{- include "debatebot.container" . | nindent 6 }}
      ports:
        - name: http
          containerPort: 8765
        - name: watch
          containerPort: 9464
      # The process answers from its first moment on; what it lacks it says by ending.
      startupProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 2
        failureThreshold: 60
      # The database and the platforms: who lacks one gets no requests and is not restarted for it.
      readinessProbe:
        httpGet: {path: /readyz, port: watch}
        periodSeconds: 5
        timeoutSeconds: 4
        failureThreshold: 2
      # Nothing but the process itself: a database that blinks must not restart everything.
      livenessProbe:
        httpGet: {path: /healthz, port: http}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      {{- if .sleep }}
      # Until no new request comes here; the signal to stop is sent after that.
      lifecycle:
        preStop:
          sleep:
            seconds: {{ .sleep }}
      {{- end }}
      resources:
        {{- toYaml .resources | nindent 8 }}
  volumes:
    - name: data
      {{- if .claim }}
      persistentVolumeClaim:
        claimName: {{ .claim }}
      {{- else }}
      emptyDir:
        sizeLimit: 2Gi
      {{- end }}
    - name: tmp
      emptyDir:
        sizeLimit: 1Gi
{{- end -}}

{{/* What the chart says itself, whatever the secret holds: health is asked for without a token, on a port of its own. */}}
{{- define "debatebot.own" -}}
DEBATE_HOST: "0.0.0.0"
DEBATE_PORT: "8765"
DEBATE_WATCH_PORT: "9464"
DEBATE_WATCH_TOKEN: ""
DEBATE_MIGRATE: "0"
{{- end -}}
