// Forms whose errors appear at their fields, in the words of the API.
//
// - A field is bound to a signal. Its `name` is that of the API, by which errors find it.
// - After a failure the first field at fault has the focus. What belongs to no field of the form is listed above its
//   buttons.

import { signal, useSignal, type Signal } from "@preact/signals";
import { LarderError } from "larder";
import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useId, useRef } from "preact/hooks";

import { errorOf } from "../api.ts";

type FieldErrors = Readonly<Record<string, readonly string[]>>;

interface FormState {
  errors: Signal<FieldErrors>;
  /** Names of the fields that show their own errors. */
  names: Set<string>;
}

const NO_FORM: FormState = { errors: signal({}), names: new Set() };
const FormContext = createContext<FormState>(NO_FORM);

interface FormProps {
  onSubmit: () => Promise<void>;
  children: ComponentChildren;
  class?: string;
  /** Says while `onSubmit` runs. */
  isBusy?: Signal<boolean>;
}

/** A form. `onSubmit` runs once at a time. */
export function Form({ onSubmit, children, class: className = "form", isBusy: shared }: FormProps) {
  const element = useRef<HTMLFormElement>(null);
  const errors = useSignal<FieldErrors>({});
  const failure = useSignal<LarderError | null>(null);
  const own = useSignal(false);
  const isBusy = shared ?? own;
  const { current: state } = useRef<FormState>({ errors, names: new Set() });

  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy.value) return;
    isBusy.value = true;
    errors.value = {};
    failure.value = null;
    try {
      await onSubmit();
    } catch (cause) {
      failure.value = errorOf(cause);
      errors.value = failure.value.errors;
    }
    isBusy.value = false;
  };

  useEffect(() => {
    if (!failure.value) return;
    const invalid = element.current?.querySelector<HTMLElement>("[aria-invalid=true], [role=alert]");
    invalid?.closest("details")?.setAttribute("open", "");
    invalid?.focus();
  }, [failure.value]);

  return (
    <FormContext.Provider value={state}>
      <form ref={element} class={className} noValidate aria-busy={isBusy.value} onSubmit={send}>
        {children}
        {failure.value && <Summary error={failure.value} names={state.names} />}
      </form>
    </FormContext.Provider>
  );
}

/** Whether an error belongs to a field or to one of its items. */
function isOf(key: string, name: string): boolean {
  return key === name || key.startsWith(`${name}.`);
}

/** Lists what is wrong beside the fields. */
function Summary({ error, names }: { error: LarderError; names: ReadonlySet<string> }) {
  const others = Object.entries(error.errors).filter(([key]) => ![...names].some((name) => isOf(key, name)));
  const texts = others.flatMap(([, messages]) => messages);
  const isElsewhere = texts.length === 0 && Object.keys(error.errors).length > 0;
  if (isElsewhere) return null;
  return (
    <div class="problem" role="alert" tabIndex={-1}>
      {texts.length > 0 ? texts.map((text) => <p key={text}>{text}</p>) : <ErrorText error={error} />}
    </div>
  );
}

/** What went wrong, with the id of the request if the fault is the service's. */
export function ErrorText({ error }: { error: LarderError }) {
  const isFault = error.status >= 500 && error.requestId;
  return (
    <p>
      {error.message}
      {isFault && (
        <>
          {" "}
          Request <code>{error.requestId}</code>
        </>
      )}
    </p>
  );
}

interface FieldProps {
  /** Name of the field in the API, with dots for nested fields. */
  name: string;
  label: string;
  hint?: ComponentChildren;
}

/** Attributes that connect a control with its label, hint and errors. */
interface ControlAttributes {
  id: string;
  name: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

/** A label with a control, its hint and its errors. */
export function Field({
  name,
  label,
  hint,
  children,
}: FieldProps & { children: (attributes: ControlAttributes) => ComponentChildren }) {
  const id = useId();
  const { messages, describedBy } = useErrors(name, id, Boolean(hint));
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, name, "aria-describedby": describedBy, "aria-invalid": messages.length > 0 || undefined })}
      <Hint id={id} hint={hint} />
      <Messages id={id} messages={messages} />
    </div>
  );
}

/** Returns the errors of a field and of its items, and registers it with its form. */
function useErrors(name: string, id: string, hasHint: boolean) {
  const { errors, names } = useContext(FormContext);
  useEffect(() => {
    names.add(name);
    return () => void names.delete(name);
  }, [name]);
  const own = Object.entries(errors.value).filter(([key]) => isOf(key, name));

  const messages = own.flatMap(([, texts]) => texts);
  const ids = [hasHint && `${id}-hint`, messages.length > 0 && `${id}-error`].filter(Boolean);
  return { messages, describedBy: ids.join(" ") || undefined };
}

function Hint({ id, hint }: { id: string; hint: ComponentChildren }) {
  if (!hint) return null;
  return (
    <small id={`${id}-hint`} class="hint">
      {hint}
    </small>
  );
}

function Messages({ id, messages }: { id: string; messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return (
    <div id={`${id}-error`} class="error-text">
      {messages.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

type TextProps = FieldProps & {
  value: Signal<string>;
  type?: "text" | "password" | "url" | "number" | "date" | "datetime-local";
  placeholder?: string;
  autofocus?: boolean;
  disabled?: boolean;
  min?: number;
  max?: number;
  step?: number;
  onChange?: () => void;
};

/** A field of one line of text. */
export function TextField({ name, label, hint, value, type = "text", onChange, ...input }: TextProps) {
  return (
    <Field name={name} label={label} hint={hint}>
      {(attributes) => (
        <input
          {...attributes}
          {...input}
          // The types of JSX allow an unknown type with no role only.
          type={type as "text"}
          value={value.value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => (value.value = event.currentTarget.value)}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

/** Options as value and label. */
export type Options = readonly (readonly [value: string, label: string])[];

type SelectProps = FieldProps & {
  value: Signal<string>;
  options: Options;
  disabled?: boolean;
  onChange?: () => void;
};

/** A choice of one option, in a menu. */
export function SelectField({ name, label, hint, value, options, disabled, onChange }: SelectProps) {
  return (
    <Field name={name} label={label} hint={hint}>
      {(attributes) => (
        <select
          {...attributes}
          disabled={disabled}
          value={value.value}
          onChange={(event) => {
            value.value = event.currentTarget.value;
            onChange?.();
          }}
        >
          {options.map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type CheckProps = FieldProps & { value: Signal<boolean>; disabled?: boolean; onChange?: () => void };

/** A field that is on or off. */
export function CheckField({ name, label, hint, value, disabled, onChange }: CheckProps) {
  const id = useId();
  const { messages, describedBy } = useErrors(name, id, Boolean(hint));
  return (
    <div class="field check">
      <label>
        <input
          type="checkbox"
          name={name}
          disabled={disabled}
          checked={value.value}
          aria-describedby={describedBy}
          aria-invalid={messages.length > 0 || undefined}
          onChange={(event) => {
            value.value = event.currentTarget.checked;
            onChange?.();
          }}
        />
        {label}
      </label>
      <Hint id={id} hint={hint} />
      <Messages id={id} messages={messages} />
    </div>
  );
}

type RadioProps = Omit<FieldProps, "hint"> & { value: Signal<string>; options: Options; onChange?: () => void };

/** A few options, all of them visible. */
export function RadioField({ name, label, value, options, onChange }: RadioProps) {
  const id = useId();
  const { messages, describedBy } = useErrors(name, id, false);
  return (
    <fieldset
      class="field radios"
      aria-describedby={describedBy}
      aria-invalid={messages.length > 0 || undefined}
      // A form moves the focus to what is invalid.
      tabIndex={messages.length > 0 ? -1 : undefined}
    >
      <legend>{label}</legend>
      {options.map(([key, text]) => (
        <label key={key}>
          <input
            type="radio"
            name={`${name}-${id}`}
            value={key}
            checked={value.value === key}
            onChange={() => {
              value.value = key;
              onChange?.();
            }}
          />
          {text}
        </label>
      ))}
      <Messages id={id} messages={messages} />
    </fieldset>
  );
}
